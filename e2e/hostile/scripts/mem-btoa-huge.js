return btoa('x'.repeat(2 ** 28)).length;
