"""An operation is a value, a derivative and a sentence: expressions, operations, and the recorder of a run."""
