"""What training does, what it costs, and how a measurement is told."""
