"""The card in the composer's place that shows what a run asks of the user until it is answered."""
