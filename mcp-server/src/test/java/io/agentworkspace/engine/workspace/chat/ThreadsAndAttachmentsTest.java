package io.agentworkspace.engine.workspace.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThreadsAndAttachmentsTest {
    private static final String UNKNOWN = "00000000-0000-4000-8000-000000000000";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    ThreadsAndAttachmentsTest() {
        DomainSetup.domain(ann, "harbour", "private");
        DomainSetup.zone(ann, "harbour", "pier");
    }

    private String say(String content, String more) {
        return ann.call(
                        "AP_Chat",
                        "{'target':{'domain':'harbour','zone':'main'},'content':'%s'%s}".formatted(content, more))
                .ok()
                .text("/content/0/id");
    }

    private String answer(String content, String to) {
        return say(content, ",'reply_to':'%s'".formatted(to));
    }

    private static Reply thread(TestCaller caller, String zone, String message, String more) {
        return caller.call(
                "ZN_Read",
                "{'target':{'domain':'harbour','zone':'%s'},'thread':'%s'%s}".formatted(zone, message, more));
    }

    @Test
    void aThreadIsAMessageAndEverythingThatAnswersIt() {
        var root = say("Who takes the pilot boat?", "");
        say("Something else", "");
        var first = answer("I do", root);
        answer("When?", first);
        answer("Thanks", root);
        answer("At six", first);

        var all = thread(ann, "main", root, "").ok();
        assertThat(all.texts("/content", "content"))
                .containsExactly("Who takes the pilot boat?", "I do", "When?", "Thanks", "At six");
        assertThat(all.number("/content/0/replies")).isEqualTo(2);
        assertThat(all.at("/content/2").has("replies")).isFalse();
        assertThat(thread(ann, "main", first, "").ok().texts("/content", "content"))
                .containsExactly("I do", "When?", "At six");
        var zone = ann.call("ZN_Read", "{'target':{'domain':'harbour'}}").ok();
        assertThat(zone.at("/content/1").has("replies")).isFalse();
        assertThat(zone.number("/content/2/replies")).isEqualTo(2);

        var paged = new ArrayList<String>();
        var cursor = "";
        do {
            var page = thread(ann, "main", root, ",'page':{'limit':2%s}".formatted(cursor))
                    .ok();
            paged.addAll(page.texts("/content", "content"));
            cursor = page.envelope().has("next_cursor") ? ",'cursor':'%s'".formatted(page.text("/next_cursor")) : "";
        } while (!cursor.isEmpty());
        assertThat(paged).containsExactlyElementsOf(all.texts("/content", "content"));
        var ofRoot = thread(ann, "main", root, ",'page':{'limit':2}").ok().text("/next_cursor");
        thread(ann, "main", first, ",'page':{'cursor':'%s'}".formatted(ofRoot)).refused(1004, "page.cursor");
    }

    @Test
    void aThreadIsReadWhereItsMessageIsRead() {
        var root = say("Low water at six", "");
        answer("Noted", root);
        thread(ann, "pier", root, "").refused(3001, "message");
        thread(ann, "main", UNKNOWN, "").refused(3001, "message");
        thread(ann, "main", "7", "").refused(1004, "thread");
        thread(bob, "main", root, "").refused(3001, "domain");
        bob.call("AP_Read", "{'thread':'%s'}".formatted(root)).refused(3001, "message");
        assertThat(ann.call("AP_Read", "{'thread':'%s'}".formatted(root)).ok().texts("/content", "content"))
                .containsExactly("Low water at six", "Noted");

        DomainSetup.agents(ann, "Ada");
        DomainSetup.agents(bob, "Bee");
        var question = ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'Ready?'}")
                .ok()
                .text("/content/0/id");
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'reply_to':'%s','content':'Yes'}".formatted(question))
                .ok();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Ada'},'thread':'%s'}".formatted(question))
                        .ok()
                        .texts("/content", "content"))
                .containsExactly("Ready?", "Yes");
        bob.call("AP_Read", "{'target':{'agent':'Bee'},'thread':'%s'}".formatted(question))
                .refused(3001, "message");
        bob.call("AP_Read", "{'target':{'agent':'Ada'},'thread':'%s'}".formatted(question))
                .refused(3001, "agent");
    }

    /** Their place in the queue depends on what else is submitted, so that the two endpoints are not compared. */
    private void submit(String name, String text) {
        for (var api : ClientApi.values()) {
            var cy = tenant.person(api, "cy" + name.charAt(0) + text.length(), Role.ADMIN);
            var submitted = cy.call("DC_Submit", "{'name':'%s','text':'%s'}".formatted(name, text))
                    .ok();
            cy.call(
                            "AP_Chat",
                            "{'target':{'domain':'harbour','zone':'pier'},'content':'x','attach':['%s','%s']}"
                                    .formatted(submitted.text("/document/id"), name))
                    .ok();
        }
    }

    @Test
    void aMessageCarriesVersionsOfDocuments() {
        submit("tides.md", "# Tides");
        submit("tides.md", "# Tides, corrected");
        submit("crew.md", "# Crew");
        var byId = ann.call("ZN_Read", "{'target':{'domain':'harbour','zone':'pier'}}")
                .ok();
        for (var i = 0; i < 3; i++) { // The id and the name mean the same version.
            assertThat(byId.at("/content/%d/attachments".formatted(i)).size()).isEqualTo(1);
        }
        assertThat(byId.number("/content/0/attachments/0/version")).isEqualTo(1);
        var said = ann.call(
                        "AP_Chat",
                        "{'target':{'domain':'harbour'},'content':'See these','attach':['Tides.md','crew.md']}")
                .ok();
        for (var reply : List.of(
                said, ann.call("ZN_Read", "{'target':{'domain':'harbour'}}").ok())) {
            assertThat(reply.texts("/content/0/attachments", "document")).containsExactly("tides.md", "crew.md");
            assertThat(reply.number("/content/0/attachments/0/version")).isEqualTo(2);
            assertThat(reply.number("/content/0/attachments/0/size")).isEqualTo(18);
        }
    }

    @Test
    void whatMayNotBeReadCannotBeAttached() {
        submit("crew.md", "# Crew");
        var other = tenant.person("cy", Role.ADMIN, "agent:write", "domain:read", "zone:read");
        var chat = "{'target':{'domain':'harbour'},'content':'x','attach':['%s']}";
        other.call("AP_Chat", chat.formatted("crew.md")).refused(3001, "document", "crew.md");
        ann.call("AP_Chat", chat.formatted("nothing.md")).refused(3001, "document", "nothing.md");
        ann.call("AP_Chat", chat.formatted(UNKNOWN)).refused(3001, "document");
        ann.call("AP_Chat", "{'target':{'domain':'harbour'},'content':'x','attach':[]}")
                .refused(1004, "attach");
        var eleven = String.join("','", Collections.nCopies(11, "crew.md"));
        ann.call("AP_Chat", chat.formatted(eleven)).refused(1005, "attach");
        assertThat(ann.call("ZN_Read", "{'target':{'domain':'harbour'}}")
                        .ok()
                        .at("/content")
                        .size())
                .isZero();
    }
}
