import { addressOf, type SenderLink, type Session } from "@waybill/amqp";
import { type Node, parseAddress } from "../refusals/address.js";

/** The links of a connection on which replies of request nodes are sent, found by a request's `reply-to`. */
export class ReplyLinks {
  readonly #byTarget = new Map<string, Set<SenderLink>>();
  readonly #byName = new Map<string, Set<SenderLink>>();
  readonly #byNode = new Map<Session, Map<string, Set<SenderLink>>>();

  add(link: SenderLink): void {
    for (const [map, key] of this.#placesOf(link)) {
      const links = map.get(key);
      if (links === undefined) map.set(key, new Set([link]));
      else links.add(link);
    }
  }

  delete(link: SenderLink): void {
    for (const [map, key] of this.#placesOf(link)) {
      const links = map.get(key);
      links?.delete(link);
      if (links?.size === 0) map.delete(key);
    }
    if (this.#byNode.get(link.session)?.size === 0) this.#byNode.delete(link.session);
  }

  clear(): void {
    this.#byTarget.clear();
    this.#byName.clear();
    this.#byNode.clear();
  }

  /**
   * The link for a reply. SDKs identify it in `reply-to` by its target's address or by its own name; without `reply-to` it is the link from
   * the same node.
   */
  find(session: Session, node: Node, replyTo: string | undefined): SenderLink | undefined {
    return (
      (replyTo && (firstOf(this.#byTarget.get(replyTo)) ?? firstOf(this.#byName.get(replyTo)))) ||
      firstOf(this.#byNode.get(session)?.get(keyOf(node)))
    );
  }

  #placesOf(link: SenderLink): [Map<string, Set<SenderLink>>, string][] {
    let byNode = this.#byNode.get(link.session);
    if (byNode === undefined) {
      byNode = new Map();
      this.#byNode.set(link.session, byNode);
    }
    const node = parseAddress(addressOf(link.remoteSource) ?? "");
    return [
      [this.#byTarget, addressOf(link.remoteTarget) ?? ""],
      [this.#byName, link.name],
      [byNode, node === undefined || node.kind === "entity" ? "" : keyOf(node)],
    ];
  }
}

function firstOf(links: ReadonlySet<SenderLink> | undefined): SenderLink | undefined {
  return links?.values().next().value;
}

function keyOf(node: Node): string {
  return node.kind === "cbs" ? "$cbs" : `m ${node.path.toLowerCase()}`;
}
