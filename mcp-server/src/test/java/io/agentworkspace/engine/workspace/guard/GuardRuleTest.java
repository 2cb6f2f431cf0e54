package io.agentworkspace.engine.workspace.guard;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rule by which a refusal of the loop guard ends: its note, the texts about it and the engine agree. */
@Tag("slow")
class GuardRuleTest {
    private static final String RULE =
            "stop until retry_at, or until a person speaks %s or a task changes its state (TK_Update)";

    private static final TestClock CLOCK = new TestClock();
    private static Replica engine;

    private final TestTenant tenant = new TestTenant();
    private String key = "";
    private TestCaller ann = (_, _) -> {
        throw new IllegalStateException("nobody yet");
    };

    @BeforeAll
    static void start() {
        engine = Replica.start(Map.of(), CLOCK);
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private void team(ClientApi api) {
        key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
        ann = (service, arguments) -> api.call(engine.url(), key, service, arguments);
        agents(ann, "Ada", "Ben");
        domain(ann, "Den", "private");
        for (var agent : List.of("Ada", "Ben")) {
            invite(ann, "Den", agent).ok();
            ann.call("AP_Modify", "{'target':{'agent':'%s'},'guard':{'hops':2}}".formatted(agent))
                    .ok();
        }
        ann.call("DM_Update", "{'target':{'domain':'Den'},'guard':{'hops':2}}").ok();
    }

    private Reply say(String agent, String target, String parent) {
        return ann.call(
                "AP_Chat",
                "{'target':{%s,'context':'%s'},'content':'your turn'%s}"
                        .formatted(target, agent, parent.isEmpty() ? "" : ",'reply_to':'%s'".formatted(parent)));
    }

    /** A message that is refused, since it names the message that it answers. */
    private record Refused(String target, String parent) {}

    private Refused loop(boolean isZone) {
        CLOCK.advance(Duration.ofMinutes(16)); // What was said before is over.
        var last = "";
        for (var speaker : List.of("Ada", "Ben", "Ada")) {
            last = say(
                            speaker,
                            isZone ? "'domain':'Den'" : "'agent':'%s'".formatted(speaker.equals("Ada") ? "Ben" : "Ada"),
                            last)
                    .ok()
                    .text("/content/0/id");
        }
        return new Refused(isZone ? "'domain':'Den'" : "'agent':'Ada'", last);
    }

    private Reply again(Refused refused) {
        return say("Ben", refused.target(), refused.parent());
    }

    @ParameterizedTest
    @EnumSource
    void eachThingThatTheNoteNamesEndsTheRefusal(ClientApi api) {
        team(api);
        for (var isZone : List.of(false, true)) {
            var rule = RULE.formatted(isZone ? "in the zone" : "to you");
            var waiting = loop(isZone);
            var retryAt = Instant.parse(again(waiting)
                    .refused(3003, "hop 3", rule, "guard", "owner")
                    .text("/retry_at"));
            CLOCK.advance(Duration.between(CLOCK.instant(), retryAt).minusSeconds(30));
            again(waiting).refused(3003, rule);
            CLOCK.advance(Duration.ofSeconds(31));
            again(waiting).ok();

            var personal = loop(isZone);
            again(personal).refused(3003, rule);
            SignedIn.at(engine.url(), key)
                    .call(
                            "AP_Chat",
                            "{'target':{%s},'content':'Go on.'}".formatted(isZone ? "'domain':'Den'" : "'agent':'Ben'"))
                    .ok();
            again(personal).ok();

            var working = loop(isZone);
            again(working).refused(3003, rule);
            var task = ann.call("TK_Create", "{'target':{'domain':'Den','context':'Ben'},'vx':{'name':'paint'}}")
                    .ok()
                    .text("/task/id");
            again(working).refused(3003, rule); // Creating a task is no progress.
            ann.call("TK_Claim", "{'task':'%s','target':{'context':'Ben'}}".formatted(task))
                    .ok();
            again(working).ok();
        }
    }

    @Test
    void oneDocumentHasTheLimitsInForce() {
        assertThat(Repository.text(Repository.file("docs/hearing.md")))
                .contains(
                        "| `guard.hops` | 1–64 | %d |".formatted(GuardLimits.DEFAULT_HOPS),
                        "| `guard.per_minute` | 1–600 | %d |".formatted(GuardLimits.DEFAULT_PER_MINUTE),
                        "%d messages".formatted(GuardLimits.DEFAULT_PER_MINUTE * LoopGuard.IN_ZONE));
    }

    /** A second place with numbers would be wrong after the next change. */
    @Test
    void otherTextsNameTheGuardWithoutItsNumbers() {
        var number = Pattern.compile("\\b\\d{1,2}\\b");
        var texts = Stream.of("skills/src/main/resources/skills", "clients", "docs/tutorials", "docs/dev/decisions")
                .flatMap(folder -> Repository.files(folder, ".md").stream())
                .toList();
        assertThat(texts)
                .extracting(Path::getFileName)
                .extracting(Path::toString)
                .contains("messages.md", "WORKSPACE.md");
        for (var text : texts) {
            assertThat(Repository.text(text).lines())
                    .as("%s", text)
                    .noneMatch(line -> line.matches(
                                    "(?i).*(loop guard|guard\\.hops|per_minute|answer(ed|s)? each other|in a chain|direct messages between).*")
                            && number.matcher(line).find());
        }
        for (var text : List.of(
                "clients/gemini-cli/extension/WORKSPACE.md",
                "clients/workspace/skills/workspace/SKILL.md",
                "skills/src/main/resources/skills/workspace/SKILL.md",
                "skills/src/main/resources/skills/stay-within-limits/SKILL.md")) {
            assertThat(Repository.text(Repository.file(text)).replaceAll("\\s+", " "))
                    .as(text)
                    .contains(
                            "`note` says what ends it: `retry_at`, a person who speaks, or a task that changes its state");
        }
    }
}
