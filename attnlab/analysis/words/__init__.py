"""What models of language write, guess and mistake."""
