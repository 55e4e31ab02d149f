import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A door at a place, for every method: it is asked before a body of any type is looked at, so that whoever has no right is told that, and nothing else. */
export async function mount(
  app: FastifyInstance,
  place: string,
  serve: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): Promise<void> {
  await app.register((scope, _, ready) => {
    scope.addHook("onRequest", serve);
    scope.all(place, (_, reply) => reply);
    ready();
  });
}
