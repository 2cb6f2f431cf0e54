package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.Tools;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.proof.PermissionTable.Cell;
import io.agentworkspace.engine.proof.PermissionTable.Kind;
import io.agentworkspace.engine.proof.ToolCases.Access;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every tool × role × capability × kind of key × access × relation, tried through both doors: the answers are those that
 * {@code permissions.txt} expects, and {@code /api/auth/why} foretells them, in the same words.
 */
@Tag("slow")
class PermissionMatrixTest {
    private static final PermissionTable TABLE = new PermissionTable();
    private static final int WORKERS = 4;

    @Test
    void everyToolHasALineAndWhatThatSaysOfItIsTrue() {
        var tools = Tools.catalogue(TestDatabase.db(), _ -> List.of(), TestDatabase.outbound(), TestDatabase.indexes());
        assertThat(TABLE.lines().stream().map(Access::tool).distinct())
                .as("mcp-server/src/test/resources/tool-cases.txt has an access line for each tool")
                .containsExactlyInAnyOrderElementsOf(
                        tools.tools().stream().map(Tool::name).toList());
    }

    /**
     * What needs the same capability for the same kind of thing is tried in tenants of its own, at each door, one call after
     * another: the more things a tenant has, the longer it looks for names that are near one that is not there.
     */
    @Test
    void everybodyMayDoWhatTheTableSaysAndNothingElse() {
        var cells = TABLE.cells();
        assertThat(cells).hasSizeGreaterThan(7_000);
        var parts = new ConcurrentLinkedQueue<Part>(parts(cells));
        var wrong = new ConcurrentLinkedQueue<String>();
        var tried = Crowd.of(WORKERS, _ -> {
            var count = 0;
            for (var part = parts.poll(); part != null; part = parts.poll()) {
                part.run(wrong);
                count += part.cells().size();
            }
            return count;
        });
        assertThat(wrong).isEmpty();
        assertThat(tried.stream().mapToInt(n -> n).sum()).isEqualTo(cells.size() * Door.values().length);
    }

    /** The largest first, so that nobody is left with one at the end. */
    private static List<Part> parts(List<Cell> cells) {
        return cells.stream()
                .collect(Collectors.groupingBy(
                        cell -> cell.line().capability() + " " + cell.line().kind()))
                .values()
                .stream()
                .sorted(Comparator.comparing((List<Cell> part) -> part.size()).reversed())
                .flatMap(part -> Arrays.stream(Door.values()).map(door -> new Part(door, part)))
                .toList();
    }

    private record Part(Door door, List<Cell> cells) {
        void run(Collection<String> wrong) {
            var stage = new PermissionStage(cells);
            for (var cell : cells) {
                if (cell.key() == Kind.FREE) {
                    tryWithout(door, stage, cell, wrong);
                    askWithout(stage, cell, wrong);
                }
                var foretold = cell.number() / 2 % 2 == door.ordinal() ? null : ask(stage, cell, wrong);
                tryIt(door, stage, cell, foretold, wrong);
            }
        }
    }

    /** @param foretold what was said to be missing, if that was asked and is to be compared */
    private static void tryIt(
            Door door, PermissionStage stage, Cell cell, @Nullable List<String> foretold, Collection<String> wrong) {
        var reply = call(door, stage, cell, true);
        if (!answer(reply).equals(cell.answer())) {
            wrong.add("%s %s: %s instead of %s: %s"
                    .formatted(door, told(cell), answer(reply), cell.answer(), reply.note()));
        }
        if (cell.answer().equals("refused") && !explains(reply.note())) {
            wrong.add("%s: this note does not say who can change it: %s".formatted(told(cell), reply.note()));
        }
        if (foretold != null && !answer(reply).equals("done") && !foretold.contains(reply.note())) {
            wrong.add("%s: '%s', where %s was foretold".formatted(told(cell), reply.note(), foretold));
        }
    }

    /** It names who may, or who can let one. */
    private static boolean explains(String note) {
        return note.matches("(?s).*\\b(owner|admin|US_Update|AK_Update|MB_Permissions)\\b.*");
    }

    private static void tryWithout(Door door, PermissionStage stage, Cell cell, Collection<String> wrong) {
        var reply = call(door, stage, cell, false);
        var lack = cell.role().isAtLeast(cell.line().leastRole())
                ? "lacks the capability '%s'".formatted(cell.line().capability())
                : "your role is '%s'".formatted(cell.role().word());
        if (reply.code() != 2003 || !reply.note().contains(lack)) {
            wrong.add("%s %s without the capability: %s %s".formatted(door, told(cell), reply.code(), reply.note()));
        }
    }

    /**
     * What is said to be missing, to be compared with what the call is told. What is decided by more than the thing that was
     * asked about is not compared.
     */
    private static @Nullable List<String> ask(PermissionStage stage, Cell cell, Collection<String> wrong) {
        if (!cell.comesToAThing() && cell.answer().equals("absent")
                || cell.line().kind().equals("document")) {
            return null; // Of a thing that it is not asked about, it cannot say that.
        }
        var target = cell.comesToAThing() ? "&target=" + cell.line().kind() + ":" + thing(stage, cell) : "";
        var got = why(stage.key(cell, true), cell, target);
        var isAbsent = cell.answer().equals("absent");
        if (got.status() != (isAbsent && cell.comesToAThing() ? 404 : 200)) {
            wrong.add("why %s: %s".formatted(told(cell), got));
            return null;
        }
        var limited = got.json().path("target").has("only") && !cell.answer().equals("done");
        if (isAbsent
                || limited
                || readsOnly(cell)
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
            wrong.add("why %s, where the answer is %s: %s".formatted(told(cell), cell.answer(), got));
        }
        return missing;
    }

    /** Of a tool that changes something unless its fields say otherwise, only a call that changes something is explained. */
    private static boolean readsOnly(Cell cell) {
        return cell.line().tool().equals("MB_Files") && cell.line().call().contains("'view'");
    }

    /** Who may neither run the tool nor read what it is run on hears the same of each thing, and of none. */
    private static void askWithout(PermissionStage stage, Cell cell, Collection<String> wrong) {
        var kind = cell.line().kind();
        if (!cell.comesToAThing() || !cell.line().capability().equals(kind + ":read")) {
            return;
        }
        var key = stage.key(cell, false);
        var got = why(key, cell, "&target=" + kind + ":" + thing(stage, cell));
        var ofNothing = why(key, cell, "&target=" + kind + ":nothing");
        if (got.status() != 200
                || got.json().has("target")
                || got.json().path("may").asBoolean()
                || !got.json().equals(ofNothing.json())) {
            wrong.add("why %s without the capability: %s and of nothing %s".formatted(told(cell), got, ofNothing));
        }
    }

    private static Way.Got why(String key, Cell cell, String target) {
        var query = "%s/api/auth/why?tool=%s%s"
                .formatted(TestServer.url(), cell.line().tool(), target);
        return new Way.Got(Door.send(HttpRequest.newBuilder(URI.create(query.replace(" ", "%20")))
                .header("X-Api-Key", key)
                .build()));
    }

    private static Reply call(Door door, PermissionStage stage, Cell cell, boolean has) {
        var key = stage.key(cell, has);
        var arguments = cell.line()
                .call()
                .replace("'$s'", "'" + stage.agent(cell) + "'")
                .replace("'$x'", "'other'")
                .replace("#", cell.unique())
                .replace("$", thing(stage, cell))
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
        return door.call(TestServer.url(), key, cell.line().tool(), Json.readObject(arguments));
    }

    private static String thing(PermissionStage stage, Cell cell) {
        return switch (cell.line().kind()) {
            case "key" -> stage.keyId(cell);
            case "endpoint", "delivery", "rule" -> stage.webhookId(cell).toString();
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

    private static String told(Cell cell) {
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
