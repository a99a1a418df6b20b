"""Forms: labelled fields with help and errors, and the order of Tab."""
