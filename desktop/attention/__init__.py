"""What a run asks of the person: the card that stands in the composer's place until it is answered."""
