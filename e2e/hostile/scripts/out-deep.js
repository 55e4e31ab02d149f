let value = 1;
for (let i = 0; i < 5000; i++) value = [value];
return value;
