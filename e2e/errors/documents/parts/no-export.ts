function run(): number {
  return 1;
}

void run;
