"""Google's Gemini API as `generateContent` speaks it (AGENTS_AND_TOOLS §2)."""
