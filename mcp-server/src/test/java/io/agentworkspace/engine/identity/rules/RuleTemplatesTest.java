package io.agentworkspace.engine.identity.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each template is filled in, passes its own examples, and refuses what it is meant for; through both endpoints. */
class RuleTemplatesTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller owner = tenant.owner();
    private final TestCaller ann = tenant.member("ann");

    private void rule(String template, String parameters) {
        owner.call("RL_Create", "{'name':'%1$s','template':'%1$s','parameters':{%2$s}}".formatted(template, parameters))
                .ok();
    }

    @Test
    void eachHasExamplesThatComeOutAsTheySay() {
        var templates = owner.call("RL_Templates").ok().at("/templates");
        assertThat(templates.valueStream().map(each -> each.path("name").asString()))
                .containsExactly(
                        "protect-destroy",
                        "read-only-hours",
                        "no-secrets-in-memory",
                        "content-length-cap",
                        "name-convention",
                        "require-description",
                        "block-words",
                        "allowed-document-types");
        for (var template : templates) {
            assertThat(template.path("examples")
                            .valueStream()
                            .map(each -> each.path("expected").asString()))
                    .contains("matches", "passes");
            for (var example : template.path("examples")) {
                var check = Json.object().put("template", template.path("name").asString());
                check.set("request", example.path("request"));
                var tried = owner.call("RL_Check", check).ok();
                assertThat(tried.at("/outcome/matches").asBoolean())
                        .as("%s: %s", template.path("name"), example)
                        .isEqualTo(example.path("expected").asString().equals("matches"));
            }
        }
    }

    @Test
    void protectDestroy() {
        rule("protect-destroy", "'names':['Ledger']");
        ann.call("MB_Create", "{'vx':{'name':'Ledger'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'Notes'}}").ok();
        ann.call("MB_Destroy", "{'target':{'bank':'LEDGER'}}").refused(3004, "'protect-destroy'");
        ann.call("MB_Destroy", "{'target':{'bank':'Notes'}}").ok();
        owner.call("MB_Destroy", "{'target':{'bank':'Ledger'}}").ok();
    }

    @Test
    void readOnlyHours() {
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        rule("read-only-hours", "'from':0,'to':24");
        ann.call("MB_Create", "{'vx':{'name':'Late'}}").refused(3004, "try again later");
        ann.call("MB_AgentList", "{'target':{'bank':'Box'}}").ok();
        ann.call("AP_List").ok();
    }

    @Test
    void noSecretsInMemory() {
        rule("no-secrets-in-memory", "");
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("MB_Store", "{'target':{'bank':'Box'},'content':'key ghp_%s'}".formatted("a1".repeat(18)))
                .refused(3004, "credential");
        ann.call("MB_Store", "{'target':{'bank':'Box'},'content':'the key is in the vault'}")
                .ok();
        var file = "{'target':{'bank':'Box'},'path':'/memories/a.md','command':";
        ann.call("MB_Files", file + "'create','file_text':'x'}").ok();
        // A text that the command ignores does not hide the credential.
        ann.call(
                        "MB_Files",
                        file
                                + "'str_replace','file_text':'','old_str':'x','new_str':'key ghp_%s'}"
                                        .formatted("a1".repeat(18)))
                .refused(3004, "credential");
    }

    @Test
    void contentLengthCap() {
        rule("content-length-cap", "'max':5");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'123456'}").refused(3004, "too long");
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'12345'}").ok();
    }

    @Test
    void nameConvention() {
        rule("name-convention", "");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").refused(3004, "form");
        ann.call("AP_Create", "{'vx':{'name':'ada-2','description':'d'}}").ok();
        ann.call("MB_Create", "{'target':{'bank':'My Box'}}").refused(3004);
        ann.call("AP_Modify", "{'target':{'agent':'ada-2'},'vx':{'description':'e'}}")
                .ok();
        ann.call("AP_Modify", "{'target':{'agent':'ada-2'},'vx':{'name':'Ada 2'}}")
                .refused(3004);
    }

    @Test
    void requireDescription() {
        rule("require-description", "'min_length':5");
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").refused(3004, "vx.description");
        ann.call("MB_Create", "{'vx':{'name':'Box','description':'Notes of the team'}}")
                .ok();
    }

    @Test
    void blockWords() {
        rule("block-words", "'words':['Project Tulip','ACME']");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'works for acme.'}}")
                .refused(3004, "'block-words'");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'knows acmes'}}")
                .ok();
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'about project tulip:'}")
                .refused(3004);
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'about tulips'}")
                .ok();
    }

    /** Evaluated as the validation of documents does. */
    @Test
    void allowedDocumentTypes() {
        rule("allowed-document-types", "");
        rule("block-words", "'words':['secret plan']");
        var documents = TestDatabase.rules().documents();
        var by = new DocumentRules.Submitter("ann", "member", null, null, List.of("*"));
        var verdicts = List.of("text/plain", "text/html").stream()
                .map(type -> documents
                        .check(tenant.id(ClientApi.REST), document(type, "hello"), by, Instant.now(), "r")
                        .denial())
                .toList();
        assertThat(verdicts.getFirst()).isNull();
        assertThat(verdicts.getLast().note())
                .isEqualTo("refused by the rule 'allowed-document-types': documents of this type are not taken here");
        var blocked = documents.check(
                tenant.id(ClientApi.MCP), document("text/plain", "our Secret Plan"), by, Instant.now(), "r");
        assertThat(blocked.noted()).containsExactly("block-words");
    }

    private static DocumentRules.CheckedDocument document(String type, String text) {
        return new DocumentRules.CheckedDocument("a.txt", type, 5, 1, "ab", text, List.of());
    }

    /** Parameters of a template cannot break out of their place. */
    @Test
    void parametersAreOnlyTexts() {
        rule("block-words", "'words':['x\\\"]) || true || content.mentions([\\\"y','\\\\','${z}']");
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'harmless'}}").ok();
        rule("protect-destroy", "'roles':['owner\\\"] || [\\\"'],'names':['x\\u2028y']");
    }
}
