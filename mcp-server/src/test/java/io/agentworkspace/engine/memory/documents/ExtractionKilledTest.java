package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.file;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.form;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.json;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.text;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.validated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.document.DocumentType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All files of the corpus pass through the queue, and the process that extracts text is killed in the middle of every tenth. */
@Tag("slow")
class ExtractionKilledTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.ADMIN);
    private int primed;

    @Test
    void eachFileEndsAsIfNothingHadHappened() {
        var index = Repository.text(Repository.file("mcp-server/src/test/resources/documents/index.txt"))
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList()
                .reversed(); // What is rejected for its name comes before the same content under its right name.
        var found = new ArrayList<String>();
        for (var i = 0; i < index.size(); i++) {
            var name = index.get(i).substring(0, index.get(i).indexOf(' '));
            var record = i % 10 == 9 ? killedInTheMiddle(name) : validated(ann, submit(name));
            found.add(line(name, record));
        }
        assertThat(found).isEqualTo(index);
        // A process that dies while the next file comes to it may cost that one an attempt, too.
        assertThat(count("attempts = 2 AND name NOT LIKE 'prime%'"))
                .as("those that were killed")
                .isBetween(index.size() / 10L, 2L * (index.size() / 10));
        assertThat(count("attempts > 2 OR state NOT IN ('accepted', 'rejected')"))
                .isZero();
    }

    private String submit(String name) {
        return json(form(TestServer.url(), key, name, file(name)), 201)
                .at("/document/id")
                .asString();
    }

    /** The process is stopped before it gets the file, and killed while it has it. If it had ended by then, this is done again. */
    private Reply killedInTheMiddle(String name) {
        while (true) {
            validated(
                    ann,
                    ann.call("DC_Submit", text("prime.txt", "Number %d.".formatted(primed++)))
                            .ok()
                            .text("/document/id"));
            var stopped = extractors();
            stopped.forEach(pid -> EngineProcess.signal("STOP", pid));
            var id = submit(name);
            await().until(() -> isDocument(id, "state <> 'queued'"));
            stopped.forEach(pid -> EngineProcess.signal("KILL", pid));
            var record = validated(ann, id);
            if (isDocument(id, "attempts = 2")) {
                return record;
            }
            ann.call("DC_Delete", Json.object().put("id", id)).ok();
        }
    }

    private static String line(String name, Reply record) {
        var reasons = record.at("/document/reasons")
                .valueStream()
                .map(reason -> reason.path("code").asString()
                        + (reason.has("position")
                                ? "@" + reason.path("position").asString()
                                : ""))
                .collect(Collectors.joining(", "));
        var type = record.at("/document/media_type").isMissingNode()
                ? "-"
                : DocumentType.ofMediaType(record.text("/document/media_type"))
                        .map(Enum::name)
                        .orElse("-");
        return "%s | %s | %s | %s"
                .formatted(name, record.text("/document/state"), type, reasons.isEmpty() ? "-" : reasons);
    }

    private boolean isDocument(String id, String condition) {
        return count("id = '%s' AND (%s)".formatted(UUID.fromString(id), condition)) == 1;
    }

    private long count(String condition) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM document WHERE tenant_id = :tenant AND (%s)".formatted(condition))
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Returns the children of this process that extract text. */
    private static List<Long> extractors() {
        return ProcessHandle.current()
                .children()
                .map(ProcessHandle::pid)
                .filter(ExtractionKilledTest::extracts)
                .toList();
    }

    private static boolean extracts(long pid) {
        try {
            return Files.readString(Path.of("/proc/%d/cmdline".formatted(pid))).contains("ExtractorMain");
        } catch (IOException gone) {
            return false;
        }
    }
}
