package io.agentworkspace.engine.kernel.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.access.PermissionTable.Cell;
import io.agentworkspace.engine.kernel.access.PermissionTable.Kind;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.ToolCases.Access;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every tool × role × kind of key × access × relation, each combination through one of the endpoints. Whoever lacks the role or the capability
 * is tried with one access of each relation. The responses are those of {@code permissions.txt}, and {@code /api/auth/why}, asked for a
 * fifth of them, predicts them in the same words.
 */
@Tag("slow")
class PermissionMatrixTest {
    /** Started before the workers: virtual threads that wait for its start would keep all processors from it. */
    private static final String SERVER = TestServer.url();

    private static final PermissionTable TABLE = new PermissionTable();
    private static final int WORKERS = 4;
    private static final int MOST_OF_TENANT = 500;

    @Test
    void everyToolHasALineAndWhatThatSaysOfItIsTrue() {
        var tools = TestDatabase.catalogue();
        assertThat(TABLE.lines().stream().map(Access::tool).distinct())
                .as("mcp-server/src/test/resources/tool-cases.txt has an access line for each tool")
                .containsExactlyInAnyOrderElementsOf(
                        tools.tools().stream().map(Tool::name).toList());
    }

    /**
     * Cells with the same capability and kind of thing share tenants, and run one after another. More things in a tenant would
     * slow the search for similar names.
     */
    @Test
    void everybodyMayDoWhatTheTableSaysAndNothingElse() {
        var cells = TABLE.cells();
        assertThat(cells).hasSizeGreaterThan(7_000);
        var parts = new ConcurrentLinkedQueue<Part>(parts(cells));
        var wrong = new ConcurrentLinkedQueue<String>();
        var tried = Concurrently.of(WORKERS, _ -> {
            var count = 0;
            for (var part = parts.poll(); part != null; part = parts.poll()) {
                part.run(wrong);
                count += part.cells().size();
            }
            return count;
        });
        assertThat(wrong).isEmpty();
        assertThat(tried.stream().mapToInt(n -> n).sum()).isEqualTo(cells.size());
    }

    /** Returns the parts, the largest first, so that no worker ends with a large one. */
    private static List<Part> parts(List<Cell> cells) {
        return cells.stream()
                .collect(Collectors.groupingBy(
                        cell -> cell.line().capability() + " " + cell.line().kind()))
                .values()
                .stream()
                .flatMap(PermissionMatrixTest::chunks)
                .sorted(Comparator.comparing((List<Cell> part) -> part.size()).reversed())
                .map(Part::new)
                .toList();
    }

    private static Stream<List<Cell>> chunks(List<Cell> cells) {
        return IntStream.range(0, Math.ceilDiv(cells.size(), MOST_OF_TENANT))
                .mapToObj(i -> cells.subList(i * MOST_OF_TENANT, Math.min(cells.size(), (i + 1) * MOST_OF_TENANT)));
    }

    /**
     * Each cell calls through one of the endpoints, and without the capability through the other. Neighbours in the table, such
     * as the roles for the same access, are divided evenly, whatever their number.
     */
    private static ClientApi api(Cell cell, boolean has) {
        return ClientApi.values()[has ? bit(cell, 0) : 1 - bit(cell, 0)];
    }

    /** Returns a bit of the hash of the cell's number. */
    private static int bit(Cell cell, int which) {
        return (cell.number() * 0x9E3779B9) >>> (31 - which) & 1;
    }

    private record Part(List<Cell> cells) {
        void run(Collection<String> wrong) {
            var fixture = new PermissionFixture(cells);
            var nothing = new HashMap<String, CommandAddress.Got>();
            for (var cell : cells) {
                var asks = cell.isSample() && bit(cell, 1) == 0;
                if (cell.key() == Kind.FREE && cell.isSample()) {
                    tryWithout(fixture, cell, wrong);
                    if (asks) {
                        askWithout(fixture, cell, nothing, wrong);
                    }
                }
                var foretold = asks ? ask(fixture, cell, wrong) : null;
                tryIt(fixture, cell, foretold, wrong);
            }
        }
    }

    /** @param foretold the requirements that were predicted, if they can be compared */
    private static void tryIt(
            PermissionFixture fixture, Cell cell, @Nullable List<String> foretold, Collection<String> wrong) {
        var reply = call(fixture, cell, true);
        if (!answer(reply).equals(cell.answer())) {
            wrong.add("%s %s: %s instead of %s: %s"
                    .formatted(api(cell, true), description(cell), answer(reply), cell.answer(), reply.note()));
        }
        if (cell.answer().equals("refused") && !explains(reply.note())) {
            wrong.add("%s: this note does not say who can change it: %s".formatted(description(cell), reply.note()));
        }
        if (foretold != null && !answer(reply).equals("done") && !foretold.contains(reply.note())) {
            wrong.add("%s: '%s', where %s was foretold".formatted(description(cell), reply.note(), foretold));
        }
    }

    /** Returns whether the note names who may, or what would permit it. */
    private static boolean explains(String note) {
        return note.matches("(?s).*\\b(owner|admin|US_Update|AK_Update|MB_Permissions|new secret)\\b.*");
    }

    private static void tryWithout(PermissionFixture fixture, Cell cell, Collection<String> wrong) {
        var reply = call(fixture, cell, false);
        var lack = cell.role().isAtLeast(cell.line().leastRole())
                ? "lacks the capability '%s'".formatted(cell.line().capability())
                : "your role is '%s'".formatted(cell.role().word());
        if (reply.code() != 2003 || !reply.note().contains(lack)) {
            wrong.add("%s %s without the capability: %s %s"
                    .formatted(api(cell, false), description(cell), reply.code(), reply.note()));
        }
    }

    /**
     * Returns the predicted requirements, to compare them with the refusal. They are not compared if the decision
     * depends on more than the named thing.
     */
    private static @Nullable List<String> ask(PermissionFixture fixture, Cell cell, Collection<String> wrong) {
        if (!cell.comesToAThing() && cell.answer().equals("absent")) {
            return null; // It cannot report that about a thing that is not named.
        }
        var target = cell.comesToAThing() ? "&target=" + cell.line().kind() + ":" + thing(fixture, cell) : "";
        var got = why(fixture.key(cell, true), cell, target);
        var isAbsent = cell.answer().equals("absent");
        if (got.status() != (isAbsent && cell.comesToAThing() ? 404 : 200)) {
            wrong.add("why %s: %s".formatted(description(cell), got));
            return null;
        }
        var limited = got.json().path("target").has("only") && !cell.answer().equals("done");
        if (isAbsent
                || limited
                || (!target.isEmpty()
                        && List.of("bank.load", "domain.join")
                                .contains(cell.line().group()))) {
            return null;
        }
        var may = got.json().path("may").asBoolean();
        var missing = got.json()
                .path("missing")
                .valueStream()
                .map(note -> note.asString())
                .toList();
        if (may != cell.answer().equals("done") || may != missing.isEmpty()) {
            wrong.add("why %s, where the answer is %s: %s".formatted(description(cell), cell.answer(), got));
        }
        return missing;
    }

    /**
     * Asks as a caller who may neither run the tool nor read its thing: the response is the same for
     * each thing, and for a missing one.
     *
     * @param nothing the responses for a missing one
     */
    private static void askWithout(
            PermissionFixture fixture, Cell cell, Map<String, CommandAddress.Got> nothing, Collection<String> wrong) {
        var kind = cell.line().kind();
        if (!cell.comesToAThing() || !cell.line().capability().equals(kind + ":read")) {
            return;
        }
        var key = fixture.key(cell, false);
        var got = why(key, cell, "&target=" + kind + ":" + thing(fixture, cell));
        var ofNothing =
                nothing.computeIfAbsent(key + cell.line().tool(), _ -> why(key, cell, "&target=" + kind + ":nothing"));
        if (got.status() != 200
                || got.json().has("target")
                || got.json().path("may").asBoolean()
                || !got.json().equals(ofNothing.json())) {
            wrong.add(
                    "why %s without the capability: %s and of nothing %s".formatted(description(cell), got, ofNothing));
        }
    }

    private static CommandAddress.Got why(String key, Cell cell, String target) {
        var query = "%s/api/auth/why?tool=%s%s".formatted(SERVER, cell.line().tool(), target);
        return new CommandAddress.Got(ClientApi.send(HttpRequest.newBuilder(URI.create(query.replace(" ", "%20")))
                .header("X-Api-Key", key)
                .build()));
    }

    private static Reply call(PermissionFixture fixture, Cell cell, boolean has) {
        var key = fixture.key(cell, has);
        var arguments = cell.line()
                .call()
                .replace("'$s'", "'" + fixture.agent(cell) + "'")
                .replace("'$x'", "'other'")
                .replace("'$t'", "'" + cell.taskId() + "'")
                .replace("#", cell.unique())
                .replace("$", thing(fixture, cell))
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
        return api(cell, has).call(SERVER, key, cell.line().tool(), Json.readObject(arguments));
    }

    private static String thing(PermissionFixture fixture, Cell cell) {
        return switch (cell.line().kind()) {
            case "key" -> fixture.keyId(cell);
            case "endpoint", "delivery", "rule" -> fixture.webhookId(cell).toString();
            case "upstream" -> fixture.upstreamName(cell);
            default -> cell.thing();
        };
    }

    private static String answer(Reply reply) {
        return switch (reply.code()) {
            case 0 -> "done";
            case 2003 -> "refused";
            case 3001 -> "absent";
            case 3003 -> "conflict";
            default -> String.valueOf(reply.code());
        };
    }

    private static String description(Cell cell) {
        return String.join(
                " ",
                Arrays.asList(
                        cell.line().tool(),
                        cell.line().call(),
                        cell.key().word(),
                        cell.role().word(),
                        cell.relation(),
                        cell.access()));
    }
}
