"""What comes next, and the loop that writes."""
