package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.ToolCases;
import io.agentworkspace.engine.testing.ToolCases.Access;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * The expectations of {@code permissions.txt} for the tools' access cases, as cells. Each cell is a call with its
 * caller, kind of key and thing.
 */
final class PermissionTable {
    static final String REFUSED = "refused";

    /** The kinds of credentials. */
    enum Kind {
        FREE,
        BOUND,
        CHILD,
        OUTDATED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One call on its own thing.
     *
     * @param isSample whether it stands for all accesses in what does not depend on them: a refusal of whoever lacks the capability
     */
    record Cell(
            int number,
            Access line,
            Kind key,
            Role role,
            String relation,
            String access,
            String answer,
            boolean isSample) {
        /**
         * Returns the thing's name. The ids of keys have 12 characters; a user who is the caller has the name of its role.
         */
        String thing() {
            return line.kind().equals("user") && isItself() ? role.word() : unique();
        }

        String unique() {
            return "thing%07d".formatted(number);
        }

        /** Returns the id of the task in the cell's domain, as PostgreSQL makes it of the name. */
        UUID taskId() {
            try {
                var hash = MessageDigest.getInstance("MD5").digest(thing().getBytes(StandardCharsets.UTF_8));
                var halves = ByteBuffer.wrap(hash);
                return new UUID(halves.getLong(), halves.getLong());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        boolean isItself() {
            return relation.equals("itself");
        }

        /** Returns whether there is a thing, and the call reaches it. */
        boolean comesToAThing() {
            return role.isAtLeast(line.leastRole())
                    && !List.of("any", "endpoint", "delivery", "skill", "rule", "invitation", "upstream")
                            .contains(line.kind());
        }
    }

    /** @param relations for each relation the responses by access, or the single one for all */
    private record Group(List<String> accesses, Map<String, List<String>> relations) {
        List<String> answers(Role role, String relation) {
            var anybodys =
                    List.of("owner", "itself", "below", "wider", "tenant").contains(relation);
            var admin = role.isAtLeast(Role.ADMIN);
            if (role == Role.OWNER && relations.containsKey("owner and " + relation)) {
                return relations.get("owner and " + relation);
            }
            if (admin && relations.containsKey("admin and " + relation)) {
                return relations.get("admin and " + relation);
            }
            return admin && !anybodys && relations.containsKey("admin")
                    ? relations.get("admin")
                    : relations.get(relation);
        }
    }

    private final List<Access> lines =
            ToolCases.all().stream().flatMap(tool -> tool.access().stream()).toList();
    private final Map<String, Group> groups = new LinkedHashMap<>();

    PermissionTable() {
        var group = new Group(List.of(), Map.of());
        for (var text : Repository.text(Repository.file("mcp-server/src/test/resources/permissions.txt"))
                .lines()
                .toList()) {
            var words = Arrays.stream(text.split("\\|")).map(String::strip).toList();
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            } else if (text.startsWith(" ")) {
                group.relations().put(words.get(0), words.subList(1, words.size()));
            } else {
                group = new Group(words.subList(1, words.size()), new LinkedHashMap<>());
                var parts = words.get(0).split(" by ");
                for (var kind : parts.length == 1 ? List.of("free") : List.of(parts[1].split(", "))) {
                    groups.put(named(parts[0], Kind.valueOf(kind.toUpperCase(Locale.ROOT))), group);
                }
            }
        }
    }

    private static String named(String group, Kind key) {
        return group + " by " + key.word();
    }

    List<Access> lines() {
        return lines;
    }

    List<Cell> cells() {
        var cells = new ArrayList<Cell>();
        for (var line : lines) {
            var free = Objects.requireNonNull(groups.get(named(line.group(), Kind.FREE)), line.group());
            for (var key : Kind.values()) {
                var own = groups.get(named(line.group(), key));
                if (own != null) {
                    add(cells, line, key, own, own.accesses(), List.of(Role.values()));
                } else {
                    add(cells, line, key, free, free.accesses().subList(0, 1), List.of(Role.MEMBER, Role.ADMIN));
                }
            }
        }
        return cells;
    }

    private static void add(
            List<Cell> cells, Access line, Kind key, Group group, List<String> accesses, List<Role> roles) {
        var index = 0; // Which access is the sample: another one for each relation and role.
        for (var relation : group.relations().keySet()) {
            if (!relation.startsWith("admin") && !relation.contains(" and ")) {
                index++;
                for (var role : roles) {
                    var sample = accesses.get((index + role.ordinal()) % accesses.size());
                    var may = role.isAtLeast(line.leastRole());
                    for (var access : may ? accesses : List.of(sample)) {
                        var answers = group.answers(role, relation);
                        var answer = !may
                                ? REFUSED
                                : answers.size() == 1
                                        ? answers.getFirst()
                                        : answers.get(group.accesses().indexOf(access));
                        cells.add(new Cell(
                                cells.size(), line, key, role, relation, access, answer, access.equals(sample)));
                    }
                }
            }
        }
    }
}
