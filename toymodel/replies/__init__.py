"""What is said to an answer and to a guess, and how they are read."""
