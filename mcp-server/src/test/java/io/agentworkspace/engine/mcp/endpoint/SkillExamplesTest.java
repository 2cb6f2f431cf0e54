package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.skills.ShippedSkills;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped skills agree with the tools: each example is validated, then run. */
@Tag("slow")
class SkillExamplesTest {
    private static final Catalogue CATALOGUE = TestDatabase.catalogue();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Pattern TOOL = Pattern.compile("\\b[A-Z]{2}_[A-Z][a-z][A-Za-z]*\\b");

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleFitsTheToolsInputSchema(SkillExample example) {
        var tool = CATALOGUE.read(example.tool());
        var schema = REGISTRY.getSchema(Json.text(tool.inputSchema().json()), InputFormat.JSON);
        var errors = schema.validate(Json.text(example.arguments()), InputFormat.JSON);
        var named = Json.readObject(
                Json.text(example.arguments()).replaceAll("<([a-z-]+)>", "$1").getBytes(StandardCharsets.UTF_8));
        if (example.refused()) {
            assertThat(errors).as(example.toString()).isNotEmpty();
            assertThatThrownBy(() -> tool.inputSchema().read(named, true)).isInstanceOf(Problem.class);
        } else {
            assertThat(errors).as(example.toString()).isEmpty();
            assertThat(tool.inputSchema().read(named, true)).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("skills")
    void everyToolThatASkillNamesIsThere(Skill skill) {
        var names = skill.files().stream()
                .flatMap(file -> TOOL.matcher(file.text().orElseThrow()).results())
                .map(match -> match.group())
                .distinct();
        assertThat(names)
                .allSatisfy(name -> assertThat(CATALOGUE.find(name)).as(name).isPresent());
    }

    /** A model sees neither the headers of a response nor its {@code _meta}. */
    @ParameterizedTest
    @MethodSource("skills")
    void nothingRefersToWhatAModelCannotSee(Skill skill) {
        if (!skill.name().equals("receive-webhooks")) { // That one is about code that receives requests.
            assertThat(skill.files())
                    .allSatisfy(file -> assertThat(file.text().orElseThrow())
                            .doesNotContainPattern("Retry-After|RateLimit|HTTP|_meta|[Hh]eader|X-[A-Z]"));
        }
    }

    @ParameterizedTest
    @MethodSource("skills")
    void theExamplesOfASkillCanBePlayedInOrder(Skill skill) {
        var tenant = new TestTenant();
        var user = tenant.key(ClientApi.MCP, "ada", Role.MEMBER, List.of("*"));
        var key = skill.name().equals("workspace") ? memberOfHarbour(user) : user;
        var fixture =
                new SkillFixture((service, arguments) -> ClientApi.MCP.call(TestServer.url(), key, service, arguments));
        SkillExample.of(skill).forEach(fixture::play);
    }

    /** Returns the key of an agent among others, to which one has written, as after {@code join}. */
    private static String memberOfHarbour(String user) {
        call(user, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        call(user, "AP_Create", "{'vx':{'name':'Scout','description':'d'}}");
        call(user, "DM_Create", "{'vx':{'name':'Harbour','description':'d'},'target':{'agent':'Ada'}}");
        call(user, "DM_Invite", "{'target':{'domain':'Harbour','agent':'Scout'}}");
        call(user, "MB_Create", "{'vx':{'name':'Harbour notes','description':'d'}}");
        call(user, "AP_LogOn", "{'target':{'agent':'Ada'}}");
        call(user, "AP_Chat", "{'target':{'agent':'Scout'},'content':'Is the quay done?'}");
        call(user, "AP_Ask", """
                {'target':{'agent':'Scout'},'content':'How many coats of paint?','choices':['two','three']}""");
        var made = call(user, "AK_Create", "{'name':'Scout','agent':'Scout','capabilities':['*']}");
        return made.text("/api_key");
    }

    private static Reply call(String key, String service, String arguments) {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.MCP.call(TestServer.url(), key, service, json).ok();
    }

    private static Stream<SkillExample> examples() {
        return skills().flatMap(skill -> SkillExample.of(skill).stream());
    }

    private static Stream<Skill> skills() {
        return ShippedSkills.read().stream();
    }
}
