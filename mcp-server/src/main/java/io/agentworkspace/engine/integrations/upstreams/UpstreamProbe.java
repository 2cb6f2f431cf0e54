package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.Connections.Probed;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Progress;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Asks a server which era of the protocol it speaks, and what it offers. */
record UpstreamProbe(Connections connections, HeavyWork heavy) {
    private static final int MOST_PAGES = 50;
    private static final int MOST_OF_A_KIND = 2_000;

    /** How much JSON all its lists may have together, in bytes, and how many values and names. */
    private static final int LARGEST = 16 * 1024 * 1024;

    private static final int MOST_VALUES = 2 * Json.MAX_FOREIGN_TOKENS;

    /** How much longer than a call all of it may take. */
    private static final int CALLS = 4;

    /**
     * What a server answered.
     *
     * @param error why it did not; null if it did
     */
    record Seen(
            @Nullable String era,
            List<Definition> offers,
            @Nullable String error) {}

    Seen of(Target target, Caller caller) {
        try {
            var probed = connections.probe(target, caller);
            try (var client = probed.client()) {
                var offers = new Lists(probed, target).all();
                return new Seen(client.era(), examined(offers, target, caller), null);
            }
        } catch (UpstreamFailure e) {
            return new Seen(null, List.of(), e.words());
        }
    }

    /** Examines them before a transaction begins, in turns with other long computations. */
    private List<Definition> examined(List<Definition> offers, Target target, Caller caller) {
        var owner = new Owner(target.tenant(), caller.principal());
        return heavy.run(owner, () -> {
            for (var offer : offers) {
                offer.examine();
                HeavyWork.pass();
            }
            return offers;
        });
    }

    /** The lists of a server, which may not be read for ever. */
    private static final class Lists {
        private final Probed server;
        private final Target target;
        private final long end;
        private long left = LARGEST;
        private int values = MOST_VALUES;

        Lists(Probed server, Target target) {
            this.server = server;
            this.target = target;
            this.end = System.nanoTime() + target.limit().multipliedBy(CALLS).toNanos();
        }

        List<Definition> all() {
            var all = new ArrayList<Definition>();
            for (var kind : OfferKind.values()) {
                // Old servers do not declare that they have tools.
                if (kind == OfferKind.TOOL || server.capabilities().has(kind.capability())) {
                    Definition.all(kind, pages(kind)).stream()
                            .limit(MOST_OF_A_KIND)
                            .forEach(all::add);
                }
            }
            return all;
        }

        private Iterable<JsonNode> pages(OfferKind kind) {
            var all = Json.array();
            var cursors = new HashSet<String>();
            var params = Json.object();
            for (var page = 0; page < MOST_PAGES && all.size() < MOST_OF_A_KIND; page++) {
                var answer = page(kind, params);
                answer.path(kind.list()).forEach(all::add);
                var cursor = answer.path("nextCursor").asString("");
                if (cursor.isEmpty() || !cursors.add(cursor)) {
                    break;
                }
                params = Json.object().put("cursor", cursor);
            }
            return all;
        }

        private JsonNode page(OfferKind kind, JsonNode params) {
            var rest = Duration.ofNanos(end - System.nanoTime());
            if (!rest.isPositive()) {
                throw new UpstreamFailure(Kind.UNREACHABLE, "its lists take too long");
            }
            var limit = rest.compareTo(target.limit()) < 0 ? rest : target.limit();
            try {
                var answer =
                        server.client().request(kind.method(), params.asObject(), Map.of(), Progress.SILENT, limit);
                count(answer);
                return answer;
            } catch (UpstreamFailure e) {
                // Some servers have resources, but no templates.
                if (kind == OfferKind.TEMPLATE && e.kind() == Kind.ERROR) {
                    return Json.object();
                }
                throw e;
            }
        }

        private void count(JsonNode answer) {
            Json.count(answer, new OutputStream() {
                @Override
                public void write(int one) {
                    left--;
                }

                @Override
                public void write(byte[] from, int offset, int length) {
                    left -= length;
                }
            });
            values -= Json.size(answer);
            if (left < 0 || values < 0) {
                throw new UpstreamFailure(
                        Kind.PROTOCOL,
                        "its lists have more than %d MB or %,d values and names".formatted(LARGEST >> 20, MOST_VALUES));
            }
        }
    }
}
