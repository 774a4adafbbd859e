"""What is said to a guess."""
