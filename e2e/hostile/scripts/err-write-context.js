context.steps.prepare.orderId = 'changed';
return context;
