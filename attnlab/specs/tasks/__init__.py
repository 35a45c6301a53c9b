"""What the tasks do to their data, as loops; the files are called as the modules there."""
