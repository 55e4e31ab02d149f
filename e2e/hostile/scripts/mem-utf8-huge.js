const bytes = new TextEncoder().encode('€'.repeat(2 ** 24)); return new TextDecoder().decode(bytes).length;
