package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.validated;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Office documents and mails from their submission to what a search finds. */
class OfficeDocumentsTest {
    private static String submitted(TestCaller person, String name, boolean comments) throws IOException {
        var file = Files.readAllBytes(Repository.file("mcp-server/src/test/resources/documents-office/" + name));
        var request = Json.object()
                .put("name", name)
                .put("comments", comments)
                .put("base64", Base64.getEncoder().encodeToString(file));
        var id = person.call("DC_Submit", request).ok().text("/document/id");
        assertThat(validated(person, id).text("/document/state")).as(name).isEqualTo("accepted");
        return id;
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aSearchFindsTheTextWithItsPlace(ClientApi api) throws IOException {
        var ann = new TestTenant().person(api, "ann", Role.MEMBER);
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        for (var sample : new String[][] {
            {"tides-libreoffice.xlsx", "berth price", "2025-12-31 23:30", "sheet Prices, row 1"},
            {"slides-libreoffice.odp", "say it twice", "Notes: Say it twice.", "slide 2"},
            {"attachments-hand.msg", "mail that began so", "It began so.", "attachment The first mail, text, line 1"}
        }) {
            submitted(ann, sample[0], false);
            ann.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'%s'}}".formatted(sample[0]))
                    .ok();
            var found = ann.call("MB_Search", "{'target':{'bank':'Box'},'content':'%s'}".formatted(sample[1]))
                    .ok()
                    .at("/content");
            assertThat(found)
                    .as(sample[0])
                    .anyMatch(memory -> memory.path("text").asString().contains(sample[2])
                            && memory.at("/source/position").asString().contains(sample[3]));
        }
        for (var comments : new boolean[] {false, true}) { // The same bytes: no duplicate, since the text differs.
            var id = submitted(ann, "comments-hand.docx", comments);
            var text = ann.call("DC_Read", Json.object().put("id", id).put("part", "text"))
                    .ok()
                    .text("/text");
            assertThat(text.contains("Comment by Ann: Since when?")).isEqualTo(comments);
        }
    }
}
