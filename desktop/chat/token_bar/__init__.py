"""What the viewed workflow uses: the line under the composer (UI §5)."""
