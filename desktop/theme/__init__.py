"""The look: tokens, fonts, icons, and the style sheet made from them."""
