package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The texts of a key's limits: capabilities, and the toolsets of the existing tools. */
public final class KeyLimitTexts {
    /** The capability to use the tools of an installed server, which may be installed later. */
    private static final Pattern OF_UPSTREAM = Pattern.compile("upstream:[a-z0-9][a-z0-9-]{0,19}");

    private final List<Tool<?, ?>> tools;
    private final TenantTools installed;

    /**
     * @param tools the list of all tools; may be filled later
     * @param installed the tools of the servers that tenants installed
     */
    public KeyLimitTexts(List<Tool<?, ?>> tools, TenantTools installed) {
        this.tools = tools;
        this.installed = installed;
    }

    /** Returns capabilities in one order, each once. {@code *} replaces all others. */
    public static Set<String> capabilities(List<String> names) {
        if (names.isEmpty()) {
            throw Problem.missing("capabilities");
        }
        var all = all();
        all.add(Capability.ALL);
        names.stream().filter(OF_UPSTREAM.asMatchPredicate()).forEach(all::add);
        check(
                "capabilities",
                names,
                all,
                "the capabilities are %s, upstream:<name> for the tools of an installed server, and * for all"
                        .formatted(listed(all())));
        if (names.contains(Capability.ALL)) {
            return Set.of(Capability.ALL);
        }
        all.retainAll(names);
        return all;
    }

    /** @throws Problem if one of them is neither a toolset nor the name of a server that the caller's tenant installed */
    public Toolset toolset(List<String> names, Caller caller) {
        if (names.isEmpty()) {
            throw Problem.invalid("toolset", "must name at least one toolset; send 'all' or 'default' for no limit");
        }
        var words =
                tools.stream().map(tool -> tool.family().word()).collect(Collectors.toCollection(LinkedHashSet::new));
        words.addAll(Toolset.GENERAL);
        words.addAll(servers(caller));
        check("toolset", names, words, "the toolsets are " + listed(words));
        return Toolset.of(names);
    }

    /** Returns the names of the servers that the caller's tenant installed. */
    public List<String> servers(Caller caller) {
        return installed.of(caller.tenant()).servers();
    }

    private static void check(String field, List<String> names, Collection<String> all, String rule) {
        for (var i = 0; i < names.size(); i++) {
            if (!all.contains(names.get(i))) {
                var near = Near.nearest(names.get(i), all, 1);
                throw Problem.invalid(
                        "%s[%d]".formatted(field, i),
                        "is '%s'; %s%s"
                                .formatted(
                                        names.get(i),
                                        near.isEmpty() ? "" : "did you mean %s? ".formatted(near.getFirst()),
                                        rule));
            }
        }
    }

    private static String listed(Collection<String> words) {
        return String.join(", ", words);
    }

    /** Returns the names of all capabilities. */
    public static Set<String> all() {
        return Arrays.stream(Capability.values())
                .map(Capability::word)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Returns the capabilities that these tools require. For a tool that may have been used only to read, the result
     * has each of its capabilities that is held.
     */
    Set<String> needed(Collection<String> names, Set<String> capabilities) {
        var ofServers =
                names.stream().filter(ForeignTool::isName).map(name -> Capability.ofUpstream(name.split("[_:]", 2)[0]));
        var own = tools.stream()
                .filter(tool -> names.contains(tool.name()))
                .flatMap(tool -> tool.reading() == null
                        ? Stream.of(tool.capability())
                        : Stream.of(tool.family().read(), tool.capability()).filter(each -> each.isIn(capabilities)))
                .map(Capability::word);
        return Stream.concat(own, ofServers).collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
