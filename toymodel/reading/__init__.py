"""What a run is read with: sums, tables, the residual stream opened, counts."""
