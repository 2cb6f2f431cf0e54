package io.agentworkspace.engine.workspace.tasks;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ada creates tasks, some of them for Ben; Cid looks on. */
class AnnouncementsTest {
    private final TestCaller ann = new TestTenant().member("ann");

    AnnouncementsTest() {
        agents(ann, "Ada", "Ben", "Cid");
        domain(ann, "Yard", "private");
        Stream.of("Ada", "Ben", "Cid")
                .forEach(agent -> invite(ann, "Yard", agent).ok());
    }

    private Reply create(String name, String more) {
        return ann.call(
                        "TK_Create",
                        "{'target':{'domain':'Yard','context':'Ada'},'vx':{'name':'%s'}%s}".formatted(name, more))
                .ok();
    }

    private long unread(String agent) {
        return ann.call("US_Read", "{'target':{'context':'%s'}}".formatted(agent))
                .ok()
                .number("/header/unread");
    }

    private Reply heard(String agent) {
        return ann.call("AP_Wait", "{'wait_seconds':0,'target':{'context':'%s'}}".formatted(agent))
                .ok();
    }

    @Test
    void aHundredTasksLeaveNothingUnreadAndFewLines() {
        for (var i = 0; i < 100; i++) {
            create("t" + i, i % 2 == 0 ? ",'assignee':'Ben'" : "");
        }
        for (var agent : List.of("Ada", "Ben", "Cid")) {
            assertThat(unread(agent)).as(agent).isZero();
        }
        assertThat(ann.call("AP_List", "{}")
                        .ok()
                        .at("/content")
                        .valueStream()
                        .map(one -> one.path("unread").asLong()))
                .containsOnly(0L);
        assertThat(heard("Cid").at("/content").isEmpty()).isTrue();
        var forBen = heard("Ben").texts("/content", "content");
        assertThat(forBen.size()).isBetween(1, 49);
        assertThat(forBen.getFirst()).startsWith("New task for Ben: 't0'");
        assertThat(unread("Ben")).isZero();
        assertThat(heard("Ben").at("/content").isEmpty()).isTrue();
        assertThat(lines().size()).isBetween(1, 99);
    }

    private List<String> lines() {
        return ann.call("ZN_Read", "{'target':{'domain':'Yard','context':'Cid'},'page':{'limit':200}}")
                .ok()
                .texts("/content", "content");
    }

    @Test
    void whatIsReadInBetweenIsCountedRight() {
        create("one", ",'assignee':'Ben'");
        say(ann, "Ada", "Yard", "main", "hello").ok();
        ann.call("AP_Chat", "{'target':{'agent':'Ben','context':'Ada'},'content':'for you'}")
                .ok();
        create("two", ",'assignee':'Ben'");
        say(ann, "Ada", "Yard", "main", "again").ok();
        assertThat(unread("Ben")).isEqualTo(3);
        assertThat(unread("Cid")).isEqualTo(2);
        assertThat(heard("Cid").texts("/content", "content")).containsExactly("hello", "again");
        assertThat(unread("Cid")).isZero();
        assertThat(heard("Ben").texts("/content", "content")).contains("hello", "for you", "again");
        assertThat(unread("Ben")).isZero();
        create("three", ",'assignee':'Ben'");
        assertThat(unread("Ben")).isZero();
        assertThat(heard("Ben").texts("/content", "content"))
                .singleElement()
                .asString()
                .contains("'three'")
                .doesNotContain("'one'");
        say(ann, "Ada", "Yard", "main", "more").ok();
        assertThat(unread("Ben")).isEqualTo(1);
        assertThat(ann.call("AP_Chat", "{'target':{'domain':'Yard','context':'Ben'},'content':'yes'}")
                        .ok()
                        .texts("/content", "content"))
                .containsExactly("yes", "more");
        assertThat(unread("Ben")).isZero();
        assertThat(unread("Cid")).isEqualTo(2);
    }

    @Test
    void aLineNamesTheFirstFiveChangesAndCountsTheRest() {
        Stream.of("a", "b", "c", "d", "e", "f", "g").forEach(name -> create(name, ""));
        assertThat(lines()).anySatisfy(line -> assertThat(line).contains("'a'"));
        assertThat(String.join("\n", lines())).contains("New task: 'a'");
        assertThat(lines().size()).isLessThan(7);
    }
}
