package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads the cases of each tool in {@code tool-cases.txt}, in order. */
public final class ToolCases {
    /**
     * The test cases of a tool.
     *
     * @param before calls, with the tools' names, that create what the next line needs
     * @param cost arguments of a typical call
     * @param foreign arguments of calls that name what another tenant has
     */
    public record ToolCase(String tool, List<Access> access, List<String> before, String cost, List<String> foreign) {}

    /**
     * A call, and who may make it.
     *
     * @param capabilities of which one is required; the first is sufficient for the least role
     * @param group the heading in {@code permissions.txt} with the responses
     * @param call its arguments
     */
    public record Access(String tool, List<String> capabilities, Role leastRole, String group, String call) {
        public String capability() {
            return capabilities.getFirst();
        }

        /** Returns the kind of the thing: agent, domain, bank, key or user; any if there is none. */
        public String kind() {
            return group.split("\\.")[0];
        }
    }

    private ToolCases() {}

    public static List<ToolCase> all() {
        var cases = new ArrayList<ToolCase>();
        var lines = Repository.text(Repository.file("mcp-server/src/test/resources/tool-cases.txt"))
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        for (var i = 0; i < lines.size(); ) {
            var tool = lines.get(i++);
            var end = i;
            while (end < lines.size() && lines.get(end).startsWith(" ")) {
                end++;
            }
            cases.add(toolCase(tool.strip(), lines.subList(i, end)));
            i = end;
        }
        return cases;
    }

    private static ToolCase toolCase(String tool, List<String> lines) {
        var access = new ArrayList<Access>();
        var before = new ArrayList<String>();
        var foreign = new ArrayList<String>();
        String cost = null;
        for (var line : lines) {
            var parts = line.strip().split("\\s*\\|\\s*", 2);
            switch (parts[0]) {
                case "access" -> access.add(access(tool, parts[1].split("\\s*\\|\\s*", 4)));
                case "before" -> before.add(parts[1]);
                case "cost" -> cost = parts[1];
                case "foreign" -> foreign.add(parts[1]);
                default -> throw new IllegalStateException(tool + " has a line that nobody reads: " + line);
            }
        }
        return new ToolCase(tool, access, before, Objects.requireNonNull(cost, tool + " has no cost line"), foreign);
    }

    private static Access access(String tool, String[] words) {
        return new Access(tool, List.of(words[0].split("/")), Role.of(words[1]), words[2], words[3]);
    }
}
