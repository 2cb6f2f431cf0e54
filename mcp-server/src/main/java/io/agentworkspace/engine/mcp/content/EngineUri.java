package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The address of an agent, a domain, a zone or a bank as a resource: {@code engine://domains/acme/zones/main}. */
record EngineUri(UriKind kind, List<Name> names) {
    static final String SCHEME = "engine://";

    /** The kinds of resources, by the shape of their path. Empty parts are names. */
    enum UriKind {
        AGENT("agents", ""),
        DOMAIN("domains", ""),
        ZONE("domains", "", "zones", ""),
        /** The tasks of a domain. */
        TASKS("domains", "", "tasks"),
        BANK("banks", "");

        private final List<String> shape;

        UriKind(String... shape) {
            this.shape = List.of(shape);
        }

        private boolean fits(List<String> parts) {
            if (parts.size() != shape.size()) {
                return false;
            }
            for (var i = 0; i < parts.size(); i++) {
                if (!shape.get(i).isEmpty() && !shape.get(i).equals(parts.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    static EngineUri of(UriKind kind, String... names) {
        return new EngineUri(kind, List.of(names).stream().map(Name::of).toList());
    }

    /** Parses the URI. Empty if it does not have this form. */
    static Optional<EngineUri> find(String uri) {
        if (!uri.startsWith(SCHEME)) {
            return Optional.empty();
        }
        var parts = List.of(uri.substring(SCHEME.length()).split("/", -1));
        for (var kind : UriKind.values()) {
            if (kind.fits(parts)) {
                return names(kind, parts).map(names -> new EngineUri(kind, names));
            }
        }
        return Optional.empty();
    }

    private static Optional<List<Name>> names(UriKind kind, List<String> parts) {
        var names = new ArrayList<Name>();
        try {
            for (var i = 0; i < parts.size(); i++) {
                if (kind.shape.get(i).isEmpty()) {
                    var plain = URLDecoder.decode(parts.get(i).replace("+", "%2B"), StandardCharsets.UTF_8);
                    names.add(Name.mentioned("uri", plain));
                }
            }
            return Optional.of(names);
        } catch (IllegalArgumentException | Problem e) {
            return Optional.empty();
        }
    }

    String text() {
        var text = new StringBuilder(SCHEME);
        var next = names.iterator();
        for (var i = 0; i < kind.shape.size(); i++) {
            var part = kind.shape.get(i);
            text.append(i == 0 ? "" : "/")
                    .append(part.isEmpty() ? encoded(next.next().text()) : part);
        }
        return text.toString();
    }

    /** Returns the spelling that all addresses of the same thing have in common. */
    String canonical() {
        return new EngineUri(kind, names.stream().map(Name::key).map(Name::of).toList()).text();
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the change that subscribers of this resource are notified of. */
    SubscribedChange change(long tenant) {
        if (kind == UriKind.TASKS) { // Each change of a task is announced in the zone main.
            return new EngineUri(UriKind.ZONE, List.of(names.getFirst(), Name.of("main"))).change(tenant);
        }
        var kind = kind().name().toLowerCase(Locale.ROOT);
        return new SubscribedChange(tenant, kind, names.stream().map(Name::key).toList());
    }
}
