package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.PossessionCheck;
import io.agentworkspace.engine.kernel.http.OwnPages;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;

/**
 * The rules of the gate.
 *
 * @param hosts names that the {@code Host} header may contain besides {@code localhost} and IP addresses; lower
 *     case
 * @param origins allowed browser origins, in the form that browsers send them
 * @param own those of them that belong to this server
 * @param callers limits the rate of each key or session
 * @param strangers the rate limit of each address for reads without a credential, failures with one, and failed
 *     look-ups
 * @param proxies the proxies that are trusted to name the client of a request
 * @param quotas the remaining quotas that responses report besides the rate
 * @param posts the paths where a POST may only read
 * @param served whether a path exists: if not, no credential would help
 * @param capacity the memory limits of requests
 * @param possession checks that the caller has the key that a credential is bound to
 */
public record GateRules(
        Set<String> hosts,
        Set<String> origins,
        Set<String> own,
        CallerLimit callers,
        RequestRate strangers,
        TrustedProxies proxies,
        Allowance.Meter quotas,
        Posts posts,
        Predicate<String> served,
        Capacity capacity,
        PossessionCheck possession) {
    /**
     * The paths where a POST may change nothing.
     *
     * @param reading the paths where it never changes anything
     * @param undecided the paths where the body decides; their routes check it
     */
    record Posts(Set<String> reading, Set<String> undecided) {
        /** One segment as it was sent: neither {@code .} nor {@code ..}, and without an encoded slash. */
        private static final String SEGMENT = "(?!(?:\\.|%2[eE]){1,2}/)(?:[^/;%]|%(?!2[fF]|5[cC])[0-9a-fA-F]{2})+";

        public Posts {
            reading = Set.copyOf(reading);
            undecided = Set.copyOf(undecided);
        }

        boolean isReading(String path) {
            return has(reading, path);
        }

        boolean isUndecided(String path) {
            return has(undecided, path);
        }

        /** Returns whether it is one of the paths. Some have a name as one of their segments. */
        private static boolean has(Set<String> paths, String path) {
            return paths.contains(path)
                    || paths.stream()
                            .filter(each -> each.contains("{"))
                            .anyMatch(each ->
                                    path.matches(each.replaceAll("\\{\\w+}", Matcher.quoteReplacement(SEGMENT))));
        }
    }

    public GateRules {
        hosts = Set.copyOf(hosts);
        origins = Set.copyOf(origins);
        own = Set.copyOf(own);
    }

    /**
     * Returns the rules for the public addresses and the other addresses that the settings allow.
     *
     * @throws IllegalArgumentException if an allowed origin does not have the form {@code scheme://host[:port]}
     */
    public static GateRules of(
            Collection<URI> addresses,
            Collection<String> allowedHosts,
            Collection<String> allowedOrigins,
            CallerLimit callers,
            RequestRate strangers) {
        var hosts = new LinkedHashSet<String>();
        var origins = new LinkedHashSet<String>();
        for (var address : addresses) {
            hosts.add(address.getHost().toLowerCase(Locale.ROOT));
            origins.addAll(OwnPages.origins(address));
        }
        var own = Set.copyOf(origins);
        allowedHosts.forEach(host -> hosts.add(HostRule.withoutPort(host)));
        allowedOrigins.forEach(origin -> origins.add(OwnPages.origin(allowed(origin))));
        return new GateRules(
                hosts,
                origins,
                own,
                callers,
                strangers,
                new TrustedProxies(Set.of()),
                _ -> List.of(),
                new Posts(Set.of(), Set.of(Route.COMMANDS)),
                _ -> true,
                Capacity.of(Runtime.getRuntime().maxMemory()),
                PossessionCheck.NONE);
    }

    /** Returns the same rules, behind these proxies. */
    public GateRules behind(TrustedProxies others) {
        return new GateRules(
                hosts, origins, own, callers, strangers, others, quotas, posts, served, capacity, possession);
    }

    /** Returns the same rules, with these quotas. */
    public GateRules within(Allowance.Meter others) {
        return new GateRules(
                hosts, origins, own, callers, strangers, proxies, others, posts, served, capacity, possession);
    }

    /** Returns the same rules. A POST to the paths of tools that only read needs no proof of which page sent it. */
    public GateRules reading(Collection<Tool<?, ?>> tools) {
        var reading = new LinkedHashSet<String>();
        var undecided = new LinkedHashSet<>(posts.undecided());
        for (var tool : tools) {
            if (tool.effect() == Effect.READS) {
                reading.addAll(paths(tool));
            } else if (tool.reading() != null) {
                undecided.addAll(paths(tool));
            }
        }
        var reads = new Posts(reading, undecided);
        return new GateRules(
                hosts, origins, own, callers, strangers, proxies, quotas, reads, served, capacity, possession);
    }

    private static List<String> paths(Tool<?, ?> tool) {
        var invoke = "/api/mcp/tools/%s/invoke".formatted(tool.name());
        return tool.route().method().equals("POST") ? List.of(tool.route().path(), invoke) : List.of(invoke);
    }

    /** Returns the same rules, with only these paths, decoded. */
    public GateRules serving(Predicate<String> paths) {
        return new GateRules(
                hosts, origins, own, callers, strangers, proxies, quotas, posts, paths, capacity, possession);
    }

    /** Returns the same rules, which accept credentials that are bound to a key. */
    public GateRules proving(PossessionCheck check) {
        return new GateRules(hosts, origins, own, callers, strangers, proxies, quotas, posts, served, capacity, check);
    }

    /** Returns the same rules, with these memory limits. */
    GateRules holding(Capacity other) {
        return new GateRules(
                hosts, origins, own, callers, strangers, proxies, quotas, posts, served, other, possession);
    }

    /** Returns how many requests wait for their turn. */
    public int waiting() {
        return capacity.waiting();
    }

    private static URI allowed(String origin) {
        var uri = URI.create(origin.strip());
        var path = uri.getRawPath();
        var bare = uri.getScheme() != null
                && uri.getHost() != null
                && (path == null || path.isEmpty() || path.equals("/"));
        if (!bare || uri.getRawQuery() != null || uri.getRawFragment() != null || uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "'%s' is not an origin: scheme://host or scheme://host:port".formatted(origin));
        }
        return uri;
    }
}
