return { text: '\ud800' };
