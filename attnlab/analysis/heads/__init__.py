"""What weights of attention say, and what they do not."""
