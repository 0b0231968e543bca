"""Running calls: claims, attempts, outcomes, and the workers that look after them."""
