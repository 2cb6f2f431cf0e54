package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.Door;
import io.agentworkspace.engine.Reply;
import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.TestServer;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.proof.PermissionTable.Cell;
import io.agentworkspace.engine.proof.PermissionTable.Line;
import io.agentworkspace.engine.tools.Toolbox;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every tool × role × capability × access × relation, tried through both doors: the answers are those that
 * {@code permissions.txt} expects, and {@code /api/auth/why} foretells them.
 */
class PermissionMatrixTest {
    private static final PermissionTable TABLE = new PermissionTable();

    @Test
    void everyToolHasALineAndWhatThatSaysOfItIsTrue() {
        var tools = Toolbox.catalogue(TestDatabase.db(), _ -> List.of(), TestDatabase.outbound());
        assertThat(TABLE.lines().stream().map(Line::tool).distinct())
                .as("mcp-server/src/test/resources/permissions.txt has a line for each tool")
                .containsExactlyInAnyOrderElementsOf(
                        tools.tools().stream().map(Tool::name).toList());
    }

    /** Each door has tenants of its own, where everything is tried; the questions are shared out among them. */
    @Test
    void everybodyMayDoWhatTheTableSaysAndNothingElse() {
        var cells = TABLE.cells();
        assertThat(cells).hasSizeGreaterThan(4_000);
        var doors = Door.values();
        var stages = Arrays.stream(doors).map(_ -> new PermissionStage(cells)).toList();
        var wrong = Collections.synchronizedList(new ArrayList<String>());
        Crowd.of(2 * doors.length, worker -> {
            var i = worker / 2;
            for (var cell : cells) {
                if (cell.number() % 2 == worker % 2) {
                    tryWithout(doors[i], stages.get(i), cell, wrong);
                    if (cell.number() / 2 % 2 != i && cell.isAskedAbout()) {
                        ask(stages.get(i), cell, wrong);
                    }
                    tryIt(doors[i], stages.get(i), cell, wrong);
                }
            }
            return worker;
        });
        assertThat(wrong).isEmpty();
    }

    private static void tryIt(Door door, PermissionStage stage, Cell cell, List<String> wrong) {
        var reply = call(door, stage, cell, true);
        if (!answer(reply).equals(cell.answer())) {
            wrong.add("%s %s: %s instead of %s: %s"
                    .formatted(door, told(cell), answer(reply), cell.answer(), reply.note()));
        }
        if (cell.answer().equals("refused") && !explains(reply.note())) {
            wrong.add("%s: this note does not say who can change it: %s".formatted(told(cell), reply.note()));
        }
    }

    /** It names who may, or who can let one. */
    private static boolean explains(String note) {
        return note.matches("(?s).*\\b(owner|admin|US_Update|AK_Update|MB_Permissions)\\b.*");
    }

    private static void tryWithout(Door door, PermissionStage stage, Cell cell, List<String> wrong) {
        var reply = call(door, stage, cell, false);
        if (reply.code() != 2003
                || !reply.note()
                        .contains("lacks the capability '%s'"
                                .formatted(cell.line().capability()))) {
            wrong.add("%s %s without the capability: %s %s".formatted(door, told(cell), reply.code(), reply.note()));
        }
    }

    /** What is decided by more than the thing that was asked about is not compared. */
    private static void ask(PermissionStage stage, Cell cell, List<String> wrong) {
        var target = cell.line().kind() + ":" + thing(stage, cell);
        var key = stage.key(cell.role(), cell.line().capability(), true);
        var query = "%s/api/auth/why?tool=%s&target=%s"
                .formatted(TestServer.url(), cell.line().tool(), target);
        var got = new Way.Got(Door.send(HttpRequest.newBuilder(URI.create(query))
                .header("X-Api-Key", key)
                .build()));
        var standing = got.json().path("target");
        if (got.status() == 404 || cell.answer().equals("absent")) {
            if (got.status() != 404 || !cell.answer().equals("absent")) {
                wrong.add("why %s: %s".formatted(told(cell), got));
            }
        } else if (got.status() != 200) {
            wrong.add("why %s: %s".formatted(told(cell), got));
        } else if (!standing.has("only")
                && !List.of("bank.load", "domain.join").contains(cell.line().group())
                && !(cell.line().tool().equals("MB_Permissions")
                        && cell.line().group().equals("bank.manage"))
                && got.json().path("may").asBoolean() != cell.answer().equals("done")) {
            wrong.add("why %s, where the answer is %s: %s".formatted(told(cell), cell.answer(), got));
        } else if (got.json().path("may").asBoolean()
                != got.json().path("missing").isEmpty()) {
            wrong.add("why %s: %s".formatted(told(cell), got));
        }
    }

    private static Reply call(Door door, PermissionStage stage, Cell cell, boolean has) {
        var key = stage.key(cell.role(), cell.line().capability(), has);
        var arguments = cell.line()
                .call()
                .replace("'$s'", "'" + stage.agent(cell) + "'")
                .replace("'$x'", "'other'")
                .replace("$", thing(stage, cell))
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
        return door.call(TestServer.url(), key, cell.line().tool(), Json.readObject(arguments));
    }

    private static String thing(PermissionStage stage, Cell cell) {
        return switch (cell.line().kind()) {
            case "key" -> stage.keyId(cell);
            case "endpoint", "delivery" -> stage.webhookId(cell).toString();
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
                        cell.line().tool(), cell.line().call(), cell.role().word(), cell.relation(), cell.access()));
    }
}
