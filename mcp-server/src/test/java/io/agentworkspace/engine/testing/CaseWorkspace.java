package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** A tenant in which the typical calls of {@code tool-cases.txt} succeed, one after the other. */
public final class CaseWorkspace {
    private static final Clock CLOCK = Clock.systemUTC();

    /** The state before the first call. Ada is the speaker, in the default context. */
    private static final String WORKSPACE = """
            AP_Create {'vx':{'name':'Ada','description':'d'}}
            AP_Create {'vx':{'name':'Bo','description':'d'}}
            AP_LogOn {'target':{'agent':'Ada'}}
            DM_Create {'vx':{'name':'Den','description':'d'}}
            ZN_Enter {'target':{'domain':'Den'}}
            AP_Chat {'content':'hello'}
            MB_Create {'vx':{'name':'Box','description':'d'}}
            MB_Store {'target':{'bank':'Box'},'content':'text','vx':{'name':'one'}}
            SK_Add {'archive':'$zip'}
            """;

    private static final String ZIP =
            SkillZip.of("tide-tables", "Times are in UTC.").base64();

    private final Db db;
    private final Runner runner;
    private final Caller member;
    private final Caller owner;
    private String key = "";
    private String endpoint = "";
    private String rule = "";
    private String delivery = "";
    private String invitation = "";
    private String task = "";
    private String question = "";

    public CaseWorkspace(Db db, Runner runner) {
        this.db = db;
        this.runner = runner;
        var tenants = new TenantStore(db);
        var tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
        member = caller(
                tenant, tenants.createUser(tenant, Name.of("ann"), Role.MEMBER, CLOCK.instant()), "ann", Role.MEMBER);
        owner = caller(
                tenant, tenants.createUser(tenant, Name.of("owner"), Role.OWNER, CLOCK.instant()), "owner", Role.OWNER);
        WORKSPACE.lines().forEach(step -> run(step, 0));
    }

    /** Returns a caller with a key that exists, since what it may grant depends on it. */
    private Caller caller(long tenant, long user, String name, Role role) {
        var secret = ApiKey.generate(new SecureRandom());
        try (var watch = TestDatabase.watch()) {
            new KeyStore(db, CLOCK, watch)
                    .insert(secret, new KeyStore.KeyOwner(tenant, user, "test", List.of("*")), CLOCK.instant());
        }
        var credential = new Credential(secret.id(), false, Toolset.EVERYTHING, false, null, false);
        var principal = "key:" + secret.id();
        return new Caller(tenant, "t", user, name, role, Set.of("*"), principal, null, credential);
    }

    public Caller member() {
        return member;
    }

    public Caller owner() {
        return owner;
    }

    /** Runs a call, as the member or, where that may not, as the owner. It must succeed. */
    public void run(String step, int round) {
        var parts = step.strip().split(" ", 2);
        var answer = answer(parts[0], arguments(parts[1], round));
        assertThat(answer.success()).as("%s %s", step, answer.envelope()).isTrue();
        key = answer.envelope().at("/key/id").asString(key);
        invitation = answer.envelope().at("/invitation/id").asString(invitation);
        question = answer.envelope().at("/question/id").asString(question);
        task = answer.envelope().at("/task/id").asString(task);
        rule = answer.envelope().at("/rule/id").asString(rule);
        endpoint = answer.envelope().at("/endpoint/id").asString(endpoint);
        delivery = answer.envelope().at("/deliveries/0/id").asString(delivery);
    }

    /** Returns the arguments of a case, with what the earlier calls made. */
    public ObjectNode arguments(String json, int round) {
        var arguments = json.replace('\'', '"')
                .replace(",\"if_revision\":#r", "")
                .replace("#", Integer.toString(round))
                .replace("$key", key)
                .replace("$endpoint", endpoint)
                .replace("$delivery", delivery)
                .replace("$rule", rule)
                .replace("$invitation", invitation)
                .replace("$task", task)
                .replace("$question", question)
                .replace("$zip", ZIP);
        return Json.readObject(arguments.getBytes(StandardCharsets.UTF_8));
    }

    /** Runs a call, which may be refused. */
    public Answer answer(String tool, ObjectNode arguments) {
        var caller = member.may(runner.catalogue().read(tool)) ? member : owner;
        return runner.run(new ToolRunner.Request(tool, arguments, caller, "r", true, null));
    }
}
