"""What lies in a vector: words, places, directions."""
