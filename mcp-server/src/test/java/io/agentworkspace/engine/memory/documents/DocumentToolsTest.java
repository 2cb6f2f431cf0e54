package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.codes;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.download;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.file;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.form;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.json;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.text;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.validated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.document.Upload;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DocumentToolsTest {
    private static final String GUIDE = "# Guide\\n\\nRead this first.\\n\\n- one\\n- two\\n".replace("\\n", "\n");

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.MCP, "ann", Role.MEMBER);

    @Test
    void aDocumentIsValidatedAndRead() {
        var first = ann.call("DC_Submit", text("Guide.md", GUIDE)).ok();
        assertThat(first.text("/document/state")).isIn("queued", "validating");
        assertThat(first.number("/document/queue/expected_seconds")).isPositive();
        assertThat(first.text("/document/sha256")).isEqualTo(Sha256.hex(GUIDE.getBytes()));
        var read = validated(ann, first.text("/document/id"));
        assertThat(read.text("/document/state")).isEqualTo("accepted");
        assertThat(read.text("/document/media_type")).isEqualTo("text/markdown");
        assertThat(read.text("/document/submitted_by")).isEqualTo("ann");
        assertThat(read.at("/document/queue").isMissingNode()).isTrue();
        var whole = ann.call("DC_Read", "{'id':'guide.MD','part':'text'}").ok();
        assertThat(whole.text("/text")).isEqualTo("# Guide\n\nRead this first.\n\n- one\n- two");
        assertThat(ann.call("DC_Queue").ok().at("/documents").isEmpty()).isTrue();
        ann.call("DC_Read", "{'id':'Guide.md','part':'file'}").refused(1004, "REST");
        ann.call("DC_Read", "{'id':'Guid.md'}").refused(3001, "'Guide.md'");
    }

    @Test
    void aRuleRejectsDocuments() {
        var owner = tenant.person(ClientApi.MCP, "olga", Role.OWNER);
        var rule = Json.readObject("""
                {"name":"no drafts","applies_to":["documents"],"effect":"deny","message":"Submit it when it is final.",
                 "when":"principal.user == 'ann' && document.media_type == 'text/plain' && document.text.contains('DRAFT')"}
                """.getBytes(UTF_8));
        owner.call("RL_Create", rule).ok();
        var refused = submitted(ann, "plan.txt", "This plan is a DRAFT of what we do.");
        assertThat(codes(refused)).isEqualTo("rule");
        assertThat(refused.text("/document/reasons/0/message"))
                .isEqualTo("refused by the rule 'no drafts': Submit it when it is final.");
        assertThat(submitted(ann, "plan.txt", "This plan is final.").text("/document/state"))
                .isEqualTo("accepted");
    }

    /** Of a document that is accepted, and of one that another rule refuses. */
    @Test
    void whatRulesMatchIsInTheAudit() {
        var owner = tenant.person(ClientApi.MCP, "olga", Role.OWNER);
        owner.call("RL_Create", Json.readObject("""
                {"name":"plans","applies_to":["documents"],"effect":"audit","when":"document.name.startsWith('plan')"}
                """.getBytes(UTF_8))).ok();
        owner.call("RL_Create", Json.readObject("""
                {"name":"no drafts","applies_to":["documents"],"effect":"deny","message":"No.","when":"document.text.contains('DRAFT')"}
                """.getBytes(UTF_8))).ok();
        var id = submitted(ann, "plan a.txt", "This plan is final.").text("/document/id");
        submitted(ann, "plan b.txt", "This plan is a DRAFT.");
        submitted(ann, "other.txt", "This is something else.");
        var entries = owner.call("AC_Audit", "{'tool':'document.validated'}").ok();
        assertThat(entries.texts("/entries", "target")).containsExactly("plan b.txt", "plan a.txt");
        assertThat(entries.texts("/entries", "result")).containsExactly("rule_refused", "done");
        assertThat(entries.at("/entries/0/rules").valueStream().map(rule -> rule.asString()))
                .containsExactlyInAnyOrder("plans", "no drafts");
        assertThat(entries.at("/entries/1/rules/0").asString()).isEqualTo("plans");
        assertThat(entries.text("/entries/1/user")).isEqualTo("ann");
        assertThat(owner.call("AC_Audit", Json.object().put("target", "document:" + id))
                        .ok()
                        .texts("/entries", "tool"))
                .containsExactly("document.validated", "DC_Submit");
    }

    /** Several patterns over two million characters; the word that is refused is at their end. */
    @Test
    void rulesJudgeTheWholeTextOfALongDocument() {
        tenant.person(ClientApi.REST, "olga", Role.OWNER)
                .call("RL_Create", Json.readObject("""
                {"name":"numbers","applies_to":["documents"],"message":"No numbers of cards.",
                 "when":"document.text.matches('[0-9]{4}-[0-9]{4}-[0-9]{4}') || hasSecret(document.text)"}
                """.getBytes(UTF_8)))
                .ok();
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        var rest = tenant.person(ClientApi.REST, "cora", Role.MEMBER);
        var harmless = "All of these words are harmless, however many there are. ".repeat(36_000);
        assertThat(formed(rest, key, "long.txt", harmless).text("/document/state"))
                .isEqualTo("accepted");
        var last = formed(rest, key, "last.txt", harmless + "Card 1234-1234-1234.");
        assertThat(last.number("/document/size")).isGreaterThan(2_000_000);
        assertThat(codes(last)).isEqualTo("rule");
        assertThat(last.text("/document/reasons/0/message")).contains("'numbers'", "No numbers of cards.");
    }

    private static Reply formed(TestCaller person, String key, String name, String text) {
        var made = json(form(TestServer.url(), key, name, text.getBytes(UTF_8)), 201);
        return validated(person, made.at("/document/id").asString());
    }

    @Test
    void theSameNameIsTheNextVersionAndTheSameContentADuplicate() {
        submitted(ann, "a.txt", "First words of the text.");
        var second = submitted(ann, "A.txt", "Other words of the text.");
        assertThat(second.number("/document/version")).isEqualTo(2);
        assertThat(second.text("/document/state")).isEqualTo("accepted");
        var again = submitted(ann, "a.txt", "Other words of the text.");
        assertThat(codes(again)).isEqualTo("duplicate");
        assertThat(again.text("/document/reasons/0/message")).contains("version 2 of 'A.txt'");
        assertThat(codes(submitted(ann, "b.txt", "Other words of the text."))).isEqualTo("duplicate");
        // The first version is not the current one, so its content is accepted again.
        assertThat(submitted(ann, "a.txt", "First words of the text.").number("/document/version"))
                .isEqualTo(4);
        assertThat(ann.call("DC_Read", "{'id':'a.txt','version':1}").ok().number("/document/version"))
                .isEqualTo(1);
        var listed = ann.call("DC_List", "{'name':'A.TXT','page':{'limit':3}}").ok();
        assertThat(listed.at("/documents")
                        .valueStream()
                        .map(one -> one.path("version").asInt()))
                .containsExactly(4, 3, 2);
        var rest = Json.object();
        rest.putObject("page").put("cursor", listed.text("/next_cursor"));
        assertThat(ann.call("DC_List", rest.put("name", "A.TXT")).ok().texts("/documents", "state"))
                .containsExactly("accepted");
        assertThat(ann.call("DC_List", "{'state':'rejected'}").ok().texts("/documents", "name"))
                .containsExactly("b.txt", "a.txt");
        ann.call("DC_Read", "{'id':'b.txt','part':'text'}").refused(3003, "rejected", "same content");
    }

    @Test
    void whatIsHandedInIsChecked() {
        ann.call("DC_Submit", "{'name':'x'}").refused(1003, "text or base64");
        ann.call("DC_Submit", "{'name':'x','text':'a','base64':'YQ=='}").refused(1004, "only one of text, base64");
        ann.call("DC_Submit", "{'name':'x','base64':'?'}").refused(1004, "base64");
        ann.call("DC_Submit", "{'name':'a/b','text':'a'}").refused(1004, "slash");
        ann.call("DC_Submit", "{'name':'x','text':'a','sha256':'00'}").refused(1004, "sha256");
        var named = Json.object()
                .put("name", "guide")
                .put("media_type", "application/pdf")
                .put("base64", Base64.getEncoder().encodeToString(file("guide-pandoc.docx")));
        var read = validated(ann, ann.call("DC_Submit", named).ok().text("/document/id"));
        assertThat(codes(read)).isEqualTo("type_mismatch");
    }

    @Test
    void onlyWhoSubmittedItAndAdminsChangeIt() {
        var id = submitted(ann, "mine.txt", "Nobody else deletes this.").text("/document/id");
        var bob = tenant.person(ClientApi.MCP, "bob", Role.MEMBER);
        var root = tenant.person(ClientApi.MCP, "root", Role.ADMIN);
        var one = Json.object().put("id", id);
        bob.call("DC_Delete", one).refused(2003, "somebody else");
        bob.call("DC_Validate", one).refused(2003, "somebody else");
        assertThat(bob.call("DC_Read", one).ok().text("/document/name")).isEqualTo("mine.txt");
        root.call("DC_Validate", one).ok();
        assertThat(validated(ann, id).text("/document/state")).isEqualTo("accepted");
        submitted(ann, "mine.txt", "A second version of it.");
        assertThat(root.call("DC_Delete", "{'id':'mine.txt'}").ok().number("/deleted"))
                .isEqualTo(2);
        ann.call("DC_Read", one).refused(3001, "no document");
        assertThat(chunks(ClientApi.MCP)).isZero();
    }

    private long chunks(ClientApi api) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM document_chunk WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(api))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    @Test
    void filesComeAsFormsAndGoAsTheyCame() throws Exception {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        var rest = tenant.person(ClientApi.REST, "cora", Role.MEMBER);
        var bytes = file("page-chromium.pdf");
        var made = json(form(TestServer.url(), key, "C:\\docs\\Größe (1).pdf", bytes), 201);
        assertThat(made.at("/document/name").asString()).isEqualTo("Größe (1).pdf");
        assertThat(made.at("/document/sha256").asString()).isEqualTo(Sha256.hex(bytes));
        var id = made.at("/document/id").asString();
        assertThat(validated(rest, id).text("/document/state")).isEqualTo("accepted");
        var back = download(TestServer.url() + "/api/documents/" + id + "?part=file", key);
        assertThat(back.body()).isEqualTo(bytes);
        assertThat(back.headers().firstValue("Content-Type")).contains("application/pdf");
        assertThat(back.headers().firstValue("Content-Disposition").orElseThrow())
                .startsWith("attachment");
        var raw = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/documents?name=raw.docx"))
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(file("guide-pandoc.docx")));
        var other = json(DocumentFixture.sent(raw, key), 201).at("/document/id").asString();
        assertThat(validated(rest, other).text("/document/media_type")).endsWith("wordprocessingml.document");
        var named = json(form(TestServer.url(), key, "x", "Some words.".getBytes(), "name", "named.txt"), 201);
        assertThat(named.at("/document/name").asString()).isEqualTo("named.txt");
        assertThat(json(form(TestServer.url(), key, "x", new byte[1], "colour", "red"), 422)
                        .path("detail")
                        .asString())
                .contains("colour");
        var reader = tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*"));
        json(form(TestServer.url(), reader, "x", new byte[1]), 403);
        assertThat(download(TestServer.url() + "/api/documents/" + id + "?part=file", reader)
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aFileThatIsTooLargeIsRefusedWhileItArrives() throws Exception {
        var key = tenant.key(ClientApi.REST, "dora", Role.MEMBER, List.of("*"));
        var sent = new AtomicLong();
        var endless = new java.io.InputStream() {
            @Override
            public int read() {
                sent.incrementAndGet();
                return sent.get() > 3L * Upload.MAX_BYTES ? -1 : 'a';
            }
        };
        var chunked = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/documents?name=large.txt"))
                .header("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> endless));
        assertThat(statusOrGone(chunked, key)).isIn(413, -1);
        assertThat(sent.get()).isLessThan(3L * Upload.MAX_BYTES);
        assertThat(chunks(ClientApi.REST)).isZero();
        var words = "All of these words are in a large file, again and again. "
                .repeat(360_000)
                .getBytes();
        var made = json(form(TestServer.url(), key, "words.txt", words), 201);
        assertThat(made.at("/document/size").asInt()).isEqualTo(words.length);
        var read = validated(
                tenant.person(ClientApi.REST, "drew", Role.MEMBER),
                made.at("/document/id").asString());
        assertThat(codes(read)).isEqualTo("too_large");
    }

    /** Returns the status. A client that is still sending may find the connection closed before it reads the refusal. */
    private static int statusOrGone(HttpRequest.Builder request, String key) {
        try {
            return DocumentFixture.sent(request, key).statusCode();
        } catch (java.io.UncheckedIOException gone) {
            return -1;
        }
    }

    @Test
    void aLongTextIsReadInParts() {
        var words = new StringBuilder("# Long\n");
        for (var i = 0; i < 12_000; i++) {
            words.append("\nParagraph %d has some words of its own.\n".formatted(i));
        }
        submitted(ann, "long.md", words.toString());
        var seen = new StringBuilder();
        var arguments = Json.object().put("id", "long.md").put("part", "text");
        var parts = 0;
        for (var cursor = ""; cursor != null; parts++) {
            if (!cursor.isEmpty()) {
                arguments.putObject("page").put("cursor", cursor);
            }
            var read = ann.call("DC_Read", arguments).ok();
            seen.append(seen.isEmpty() ? "" : "\n\n").append(read.text("/text"));
            cursor = read.at("/next_cursor").isMissingNode() ? null : read.text("/next_cursor");
        }
        assertThat(parts).isGreaterThan(1);
        assertThat(seen.toString()).isEqualTo(words.toString().strip().replace("# Long\n\n", "# Long\n\n"));
    }

    /** Through both endpoints. A document of one user cannot be replaced by another one, except by an admin. */
    @Test
    void onlyWhoSubmittedItAndAdminsAddVersions() {
        for (var api : ClientApi.values()) {
            var cy = tenant.person(api, "cy", Role.MEMBER);
            var dan = tenant.person(api, "dan", Role.MEMBER);
            cy.call("DC_Submit", text("Plan.txt", "The first words of the plan."))
                    .ok();
            dan.call("DC_Submit", text("plan.TXT", "Other words."))
                    .refused(2003, "'Plan.txt' was submitted by somebody else, 'cy'", "under another name");
            dan.call("DC_Submit", text("Plan of dan.txt", "Words of dan.")).ok();
            var second = tenant.person(api, "ada", Role.ADMIN)
                    .call("DC_Submit", text("Plan.txt", "Words of an admin."))
                    .ok();
            assertThat(second.number("/document/version")).isEqualTo(2);
            var third = cy.call("DC_Submit", text("Plan.txt", "The last words of the plan."))
                    .ok();
            assertThat(third.number("/document/version")).isEqualTo(3);
        }
    }

    /** Of those that the caller submitted: what others say of theirs is nothing to him. */
    @Test
    void aDocumentOfTheSameOriginTakesTheNewName() {
        for (var api : ClientApi.values()) {
            var cleo = tenant.person(api, "cleo", Role.MEMBER);
            var bo = tenant.person(api, "bo", Role.MEMBER);
            ofOrigin(cleo, "old.txt", "One.", "notes 7").ok();
            ofOrigin(bo, "bo.txt", "Bo.", "notes 7").ok();
            ofOrigin(tenant.person(api, "ada", Role.ADMIN), "ada.txt", "Ada.", "notes 7")
                    .ok();
            assertThat(cleo.call("DC_List", "{'origin':'notes 7'}").ok().texts("/documents", "name"))
                    .containsExactlyInAnyOrder("old.txt", "bo.txt", "ada.txt");
            var second = ofOrigin(cleo, "new.txt", "Two.", "notes 7").ok();
            assertThat(second.number("/document/version")).isEqualTo(2);
            assertThat(second.text("/document/origin")).isEqualTo("notes 7");
            cleo.call("DC_Read", "{'id':'old.txt'}").refused(3001, "");
            assertThat(cleo.call("DC_Read", "{'id':'new.txt','version':1}").ok().text("/document/name"))
                    .isEqualTo("new.txt");
            cleo.call("DC_Read", "{'id':'bo.txt'}").ok();
            ofOrigin(cleo, "bo.txt", "Three.", "notes 7").refused(3003, "is another document");
            assertThat(ofOrigin(cleo, "new.txt", "Four.", " ").ok().number("/document/version"))
                    .isEqualTo(3);
            ofOrigin(cleo, "a.txt", "Five.", "x".repeat(201)).refused(1005, "origin");
            assertThat(ofOrigin(cleo, "old.txt", "Six.", "notes 8").ok().number("/document/version"))
                    .as("no number is used twice for a name")
                    .isEqualTo(2);
        }
    }

    private static Reply ofOrigin(TestCaller caller, String name, String text, String origin) {
        return caller.call("DC_Submit", "{'name':'%s','text':'%s','origin':'%s'}".formatted(name, text, origin));
    }

    @Test
    void aVersionNumberIsNotUsedAgain() {
        submitted(ann, "plan.txt", "The first words of the plan.");
        var second = submitted(ann, "plan.txt", "The second words of the plan.");
        ann.call("DC_Delete", Json.object().put("id", second.text("/document/id")))
                .ok();
        assertThat(submitted(ann, "plan.txt", "The third words.").number("/document/version"))
                .isEqualTo(3);
        ann.call("DC_Read", "{'id':'plan.txt','version':2}").refused(3001);
        ann.call("DC_Delete", "{'id':'plan.txt'}").ok();
        assertThat(submitted(ann, "Plan.txt", "The fourth words.").number("/document/version"))
                .isEqualTo(4);
    }

    /** {@code GET /api/documents/queue} is the queue. */
    @Test
    void noDocumentHasTheAddressOfTheQueue() {
        ann.call("DC_Submit", text(" Queue ", "Words.")).refused(1004, "queue.txt");
        var rest = tenant.person(ClientApi.REST, "ruth", Role.MEMBER);
        rest.call("DC_Submit", text("queue", "Words.")).refused(1004, "queue.txt");
        submitted(rest, "queue.txt", "Words of a queue.");
        assertThat(rest.call("DC_Read", "{'id':'queue.txt'}").ok().text("/document/name"))
                .isEqualTo("queue.txt");
        rest.call("DC_Delete", "{'id':'queue.txt'}").ok();
    }

    /** In a form by the part's type, in JSON by the media type; text in JSON is UTF-8. */
    @Test
    void theEncodingThatAFileIsSentWithCounts() {
        var sent = new TestTenant();
        var ann = sent.person(ClientApi.REST, "ann", Role.MEMBER);
        var key = sent.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        var row = "1,東京".getBytes(java.nio.charset.Charset.forName("Shift_JIS"));
        var form = DocumentFixture.formOf("text/csv; charset=\"Shift_JIS\"", TestServer.url(), key, "row.txt", row);
        var id = DocumentFixture.json(form, 201).at("/document/id").asString();
        DocumentFixture.validated(ann, id);
        assertThat(ann.call("DC_Read", "{'id':'row.txt','part':'text'}").ok().text("/text"))
                .isEqualTo("1,東京");
        var word = java.util.Base64.getEncoder()
                .encodeToString("España".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        ann.call("DC_Submit", "{'name':'none.txt','base64':'%s'}".formatted(word))
                .ok();
        ann.call(
                        "DC_Submit",
                        "{'name':'word.txt','base64':'%s','media_type':'text/plain; charset=iso-8859-1'}"
                                .formatted(word))
                .ok();
        var refused = DocumentFixture.validated(ann, "none.txt");
        assertThat(DocumentFixture.codes(refused)).isEqualTo("encoding");
        assertThat(refused.text("/document/reasons/0/position")).isEqualTo("byte 5");
        DocumentFixture.validated(ann, "word.txt");
        assertThat(ann.call("DC_Read", "{'id':'word.txt','part':'text'}").ok().text("/text"))
                .isEqualTo("España");
    }
}
