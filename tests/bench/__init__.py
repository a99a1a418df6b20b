"""How fast it is, as ratios to something bare that is measured in the same run."""
