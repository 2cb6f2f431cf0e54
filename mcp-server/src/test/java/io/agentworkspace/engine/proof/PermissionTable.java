package io.agentworkspace.engine.proof;

import io.agentworkspace.engine.Repository;
import io.agentworkspace.engine.model.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What {@code permissions.txt} expects, as cells: each a call, by whom, on what. */
final class PermissionTable {
    static final String REFUSED = "refused";

    /** A call of a tool. */
    record Line(String tool, String capability, Role leastRole, String group, String call) {
        /** What the thing is: agent, domain, bank, key, user; any where there is none. */
        String kind() {
            return group.split("\\.")[0];
        }
    }

    /** One call on a thing of its own. */
    record Cell(int number, Line line, Role role, String relation, String access, String answer) {
        /** Of keys too, whose ids have 12 characters. */
        String thing() {
            return "thing%07d".formatted(number);
        }

        /** Whether there is a thing, and the tool would come to it. */
        boolean isAskedAbout() {
            return role.isAtLeast(line.leastRole())
                    && !List.of("any", "user", "endpoint", "delivery").contains(line.kind());
        }
    }

    /** @param relations for each relation the answers by access, or the one for all */
    private record Group(List<String> accesses, Map<String, List<String>> relations) {}

    private final List<Line> lines = new ArrayList<>();
    private final Map<String, Group> groups = new LinkedHashMap<>();

    PermissionTable() {
        var group = new Group(List.of(), Map.of());
        for (var text : Repository.text(Repository.file("mcp-server/src/test/resources/permissions.txt"))
                .lines()
                .toList()) {
            var words = Arrays.stream(text.split("\\|")).map(String::strip).toList();
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            } else if (words.size() == 5 && words.get(4).startsWith("{")) {
                lines.add(new Line(words.get(0), words.get(1), Role.of(words.get(2)), words.get(3), words.get(4)));
            } else if (text.startsWith(" ")) {
                group.relations().put(words.get(0), words.subList(1, words.size()));
            } else {
                group = new Group(words.subList(1, words.size()), new LinkedHashMap<>());
                groups.put(words.get(0), group);
            }
        }
    }

    List<Line> lines() {
        return lines;
    }

    List<Cell> cells() {
        var cells = new ArrayList<Cell>();
        for (var line : lines) {
            var group = Objects.requireNonNull(groups.get(line.group()), line.group());
            for (var relation : group.relations().keySet()) {
                if (!relation.startsWith("admin")) {
                    for (var role : Role.values()) {
                        for (var access : group.accesses()) {
                            var answer = answer(line, group, role, relation, access);
                            cells.add(new Cell(cells.size(), line, role, relation, access, answer));
                        }
                    }
                }
            }
        }
        return cells;
    }

    private static String answer(Line line, Group group, Role role, String relation, String access) {
        if (!role.isAtLeast(line.leastRole())) {
            return REFUSED;
        }
        var relations = group.relations();
        var own = relation.equals("owner") || relation.equals("tenant") || !relations.containsKey("admin");
        var answers = role.isAtLeast(Role.ADMIN) && !own
                ? relations.getOrDefault("admin and " + relation, relations.get("admin"))
                : relations.get(relation);
        return answers.size() == 1
                ? answers.getFirst()
                : answers.get(group.accesses().indexOf(access));
    }
}
