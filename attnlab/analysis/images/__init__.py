"""What models of pictures look at, and what it does for their answers."""
