package io.agentworkspace.engine.workspace.tasks;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.unread;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Ann owns the domain Yard with her agents Ada and Ala; Bob's agent Ben is a member. */
class TaskToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    TaskToolsTest() {
        agents(ann, "Ada", "Ala");
        agents(bob, "Ben");
        hosted(ann, "Yard", "public", "Ada");
        invite(ann, "Yard", "Ala").ok();
        invite(bob, "Yard", "Ben").ok();
    }

    private static Reply create(TestCaller caller, String as, String title, String more) {
        return caller.call(
                "TK_Create",
                "{'target':{'domain':'Yard','context':'%s'},'vx':{'name':'%s'}%s}".formatted(as, title, more));
    }

    private String task(String title) {
        return create(ann, "Ada", title, "").ok().text("/task/id");
    }

    private String task(String title, String more) {
        return create(ann, "Ada", title, more).ok().text("/task/id");
    }

    private static Reply claim(TestCaller caller, String as, String task) {
        return caller.call("TK_Claim", "{'task':'%s','target':{'context':'%s'}}".formatted(task, as));
    }

    private static Reply next(TestCaller caller, String as) {
        return caller.call("TK_Claim", "{'next':true,'target':{'domain':'Yard','context':'%s'}}".formatted(as));
    }

    private static Reply update(TestCaller caller, String as, String task, String change) {
        return caller.call("TK_Update", "{'task':'%s','target':{'context':'%s'},%s}".formatted(task, as, change));
    }

    private static Reply read(TestCaller caller, String task) {
        return caller.call("TK_Read", "{'task':'%s'}".formatted(task)).ok();
    }

    private List<String> titles(String filter) {
        return ann.call("TK_List", "{'target':{'domain':'Yard','context':'Ada'}%s}".formatted(filter))
                .ok()
                .texts("/profile", "title");
    }

    private void endLeases() {
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql(
                            "UPDATE task SET lease_until = now() - INTERVAL '1 second' WHERE tenant_id = :tenant AND holder_id IS NOT NULL")
                    .set("tenant", tenant.id(api))
                    .run();
        }
    }

    @Test
    void aTaskGoesFromOpenToDoneAndItsHistoryShowsWhoDidWhat() {
        var made = create(ann, "Ada", " Paint ", ",'assignee':'ben'").ok();
        assertThat(made.text("/task/title")).isEqualTo("Paint");
        assertThat(made.text("/task/state")).isEqualTo("open");
        assertThat(made.text("/task/assignee")).isEqualTo("Ben");
        assertThat(made.text("/task/created_by")).isEqualTo("Ada");
        assertThat(made.at("/task/ready").asBoolean()).isTrue();
        var id = made.text("/task/id");
        var claimed = claim(bob, "Ben", id).ok();
        assertThat(claimed.text("/task/state")).isEqualTo("doing");
        assertThat(claimed.text("/task/holder")).isEqualTo("Ben");
        assertThat(claimed.number("/task/fence")).isEqualTo(1);
        update(bob, "Ben", id, "'fence':1,'state':'blocked','note':'no paint'").ok();
        update(bob, "Ben", id, "'fence':1,'state':'doing'").ok();
        var done = update(bob, "Ben", id, "'fence':1,'state':'done','result':'It is blue.'")
                .ok();
        assertThat(done.text("/task/result")).isEqualTo("It is blue.");
        assertThat(done.at("/task/holder").isMissingNode()).isTrue();
        var history = read(ann, id);
        assertThat(history.texts("/content", "what"))
                .containsExactly("created", "claimed", "blocked", "resumed", "done");
        assertThat(history.texts("/content", "by")).containsExactly("Ada", "Ben", "Ben", "Ben", "Ben");
        assertThat(history.text("/content/2/note")).isEqualTo("no paint");
        assertThat(titles(",'state':'done'")).containsExactly("Paint");
        assertThat(titles(",'state':'open'")).isEmpty();
    }

    @Test
    void ofConcurrentClaimsOneWinsAndTheOthersLearnWhoHasIt() {
        var carl = alone(8);
        var id = taskOf(carl, "one");
        var replies = Concurrently.of(1_000, i -> claim(carl, "C" + i % 8, id));
        assertThat(replies.stream().filter(reply -> reply.code() == 0)).hasSize(1);
        var holder = read(carl, id).text("/profile/0/holder");
        // So many of one key at once may also have to come again.
        assertThat(replies.stream().filter(reply -> reply.code() != 0 && reply.code() != 4001))
                .isNotEmpty()
                .allSatisfy(reply -> {
                    assertThat(reply.code()).isEqualTo(3003);
                    assertThat(reply.text("/holder")).isEqualTo(holder);
                    assertThat(reply.note()).contains("until " + reply.text("/lease_until"));
                });
        IntStream.range(0, 20).forEach(i -> taskOf(carl, "many " + i));
        var got = Concurrently.of(
                20,
                i -> carl.call("TK_Claim", "{'next':true,'target':{'domain':'Shed','context':'C%d'}}".formatted(i % 8))
                        .ok()
                        .text("/task/id"));
        assertThat(got).doesNotHaveDuplicates();
    }

    /** Returns a user of one tenant, whose agents are members of the domain Shed, since the engine frees tasks at any time. */
    private TestCaller alone(int agents) {
        var carl = tenant.person(ClientApi.REST, "carl", Role.ADMIN);
        agents(carl, IntStream.range(0, agents).mapToObj(i -> "C" + i).toArray(String[]::new));
        hosted(carl, "Shed", "private", "C0");
        IntStream.range(1, agents).forEach(i -> invite(carl, "Shed", "C" + i).ok());
        return carl;
    }

    private static String taskOf(TestCaller carl, String title) {
        return carl.call("TK_Create", "{'target':{'domain':'Shed'},'vx':{'name':'%s'}}".formatted(title))
                .ok()
                .text("/task/id");
    }

    @Test
    void anOldFenceChangesNothing() {
        var carl = alone(2);
        var id = taskOf(carl, "Paint");
        claim(carl, "C0", id).ok();
        update(carl, "C1", id, "'note':'hello'").refused(3003, "'C0'", "fence");
        update(carl, "C1", id, "'fence':7,'note':'hello'").refused(3003, "fence 7", "nothing was changed");
        endLeases();
        update(carl, "C0", id, "'fence':1,'state':'done'").refused(3003, "fence 1 has ended");
        assertThat(claim(carl, "C1", id).ok().number("/task/fence")).isEqualTo(2);
        update(carl, "C0", id, "'fence':1,'state':'done'").refused(3003, "'C1'");
        assertThat(read(carl, id).text("/profile/0/state")).isEqualTo("doing");
        update(carl, "C1", id, "'fence':2,'state':'done'").ok();
        update(carl, "C1", id, "'fence':2,'result':'twice'").refused(3003, "done");
        assertThat(read(carl, id).texts("/content", "what"))
                .containsExactly("created", "claimed", "lost", "claimed", "done");
        assertThat(read(carl, id).texts("/content", "by")).containsExactly("carl", "C0", "C0", "C1", "C1");
    }

    @Test
    void anExtendedLeaseIsNotAnnounced() {
        var id = task("Paint");
        var first = claim(bob, "Ben", id).ok();
        var heard = unread(ann, "Ada");
        var longer = update(bob, "Ben", id, "'fence':1,'lease_seconds':80000").ok();
        assertThat(longer.text("/task/lease_until")).isGreaterThan(first.text("/task/lease_until"));
        assertThat(unread(ann, "Ada")).isEqualTo(heard);
        update(bob, "Ben", id, "'fence':1,'state':'open','lease_seconds':600").refused(3003, "no lease");
        update(ann, "Ada", task("Other"), "'state':'doing'").refused(3003, "TK_Claim");
    }

    @Test
    void aLeaseThatEndsFreesTheTaskAndItsHolderHears() {
        var id = task("Paint");
        claim(bob, "Ben", id).ok();
        bob.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}").ok();
        endLeases();
        await().until(() -> read(ann, id).texts("/content", "what").contains("lost"));
        var freed = read(ann, id);
        assertThat(freed.text("/profile/0/state")).isEqualTo("open");
        assertThat(freed.at("/profile/0/ready").asBoolean()).isTrue();
        var heard = bob.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}")
                .ok()
                .texts("/content", "content");
        assertThat(heard)
                .isNotEmpty()
                .allSatisfy(text -> assertThat(text).contains("The lease has ended", "Paint", id));
    }

    @Test
    void everybodyHearsOfAChangeInOneLineAndTheAssigneeDirectly() {
        bob.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}").ok();
        var id = task("Paint", ",'assignee':'Ben'");
        var heard = bob.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}")
                .ok();
        assertThat(heard.texts("/content", "from")).containsExactly("Ada");
        assertThat(heard.texts("/content", "content"))
                .containsExactly("New task for Ben: 'Paint' (task %s), in the domain 'Yard'".formatted(id));
        update(ann, "Ada", id, "'note':'two\\ncoats'").ok();
        assertThat(bob.call("ZN_Read", "{'target':{'domain':'Yard','context':'Ben'}}")
                        .ok()
                        .texts("/content", "content"))
                .last()
                .isEqualTo(
                        "New task for Ben: 'Paint' (task %s); Changed: 'Paint' (task %s): two coats".formatted(id, id));
    }

    @Test
    void tasksHaveAnOrderWithoutCircles() {
        var one = task("one");
        var two = task("two", ",'after':['%s']".formatted(one));
        var three = task("three", ",'after':['%s','%s']".formatted(two, one));
        assertThat(titles(",'ready':true")).containsExactly("one");
        claim(ann, "Ala", two).refused(3003, "waits for others");
        update(ann, "Ada", one, "'after':['%s']".formatted(three))
                .refused(3003, "circle: 'one' (%s) after 'three' (%s) after".formatted(one, three), "'one'");
        update(ann, "Ada", one, "'after':['%s']".formatted(one)).refused(3003, "circle");
        create(ann, "Ada", "four", ",'after':['6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11']")
                .refused(3001);
        update(ann, "Ada", one, "'state':'done'").ok();
        assertThat(titles(",'ready':true")).containsExactly("two");
        update(ann, "Ada", one, "'state':'open'").ok();
        assertThat(titles(",'ready':true")).containsExactly("one");
        update(ann, "Ada", three, "'after':[]").ok();
        assertThat(titles(",'ready':true")).containsExactly("three", "one");
        assertThat(next(ann, "Ala").ok().text("/task/title")).isEqualTo("one");
        assertThat(next(ann, "Ala").ok().text("/task/title")).isEqualTo("three");
        next(ann, "Ala").refused(3003, "no task in the domain 'Yard' is ready");
    }

    @Test
    void nobodyTakesWhatIsAnothersAndATaskCanBeTakenAway() {
        var id = task("Paint", ",'assignee':'Ben'");
        claim(ann, "Ala", id).refused(3003, "assigned to 'Ben'");
        next(ann, "Ala").refused(3003);
        assertThat(next(bob, "Ben").ok().text("/task/id")).isEqualTo(id);
        assertThat(bob.call("TK_List", "{'target':{'domain':'Yard','context':'Ben'},'mine':true}")
                        .ok()
                        .texts("/profile", "title"))
                .containsExactly("Paint");
        assertThat(titles(",'mine':true")).isEmpty();
        var away = update(ann, "Ada", id, "'fence':1,'assignee':'Ala'").ok();
        assertThat(away.text("/task/state")).isEqualTo("open");
        assertThat(away.at("/task/holder").isMissingNode()).isTrue();
        update(bob, "Ben", id, "'fence':1,'state':'done'").refused(3003);
        update(ann, "Ada", id, "'assignee':'*'").ok();
        claim(bob, "Ben", id).ok();
        create(ann, "Ada", "x", ",'assignee':'Bem'").refused(3001, "Ben");
    }

    @Test
    void listsAreFilteredAndPaged() {
        IntStream.range(0, 5).forEach(i -> task("t" + i));
        ann.call(
                        "TK_Create",
                        "{'target':{'domain':'Yard','context':'Ada'},'vx':{'name':'tagged','tags':['red','big']}}")
                .ok();
        assertThat(titles("")).containsExactly("tagged", "t4", "t3", "t2", "t1", "t0");
        for (var tag : List.of("red", "Red", "RED")) {
            assertThat(titles(",'vx':{'tags':['%s']}".formatted(tag))).containsExactly("tagged");
        }
        assertThat(titles(",'vx':{'tags':['re']}")).isEmpty();
        var first = ann.call("TK_List", "{'target':{'domain':'Yard'},'page':{'limit':4}}")
                .ok();
        assertThat(first.texts("/profile", "title")).containsExactly("tagged", "t4", "t3", "t2");
        var rest = ann.call(
                        "TK_List",
                        "{'target':{'domain':'Yard'},'page':{'limit':4,'cursor':'%s'}}"
                                .formatted(first.text("/next_cursor")))
                .ok();
        assertThat(rest.texts("/profile", "title")).containsExactly("t1", "t0");
        claim(bob, "Ben", rest.text("/profile/0/id")).ok();
        assertThat(ann.call("TK_List", "{'target':{'domain':'Yard','agent':'Ben'}}")
                        .ok()
                        .texts("/profile", "title"))
                .containsExactly("t1");
        ann.call("TK_List", "{'target':{'domain':'Yard','agent':'Nobody'}}").refused(3001);
    }

    @Test
    void titleIsAnotherWordForItsNameAndContextMayBeBesideTheTarget() {
        for (var call : List.of(
                "{'title':'Sand it','target':{'domain':'Yard'}}",
                "{'vx':{'title':'Sand it'},'target':{'domain':'Yard'}}",
                "{'title':'Sand it','vx':{'name':'Sand it'},'target':{'domain':'Yard'},'context':'Ada'}")) {
            var made = ann.call("TK_Create", call).ok();
            assertThat(made.text("/task/title")).isEqualTo("Sand it");
            if (call.contains("context")) {
                assertThat(made.text("/task/created_by")).isEqualTo("Ada");
            }
        }
        ann.call("TK_Create", "{'title':' ','target':{'domain':'Yard'}}").refused(1003, "vx.name");
        ann.call("AP_Read", "{'context':'Ada','inbox':true}").ok();
    }

    @Test
    void whatIsWrongWithACallIsNamed() {
        ann.call("TK_Claim", "{'target':{'domain':'Yard'}}").refused(1003, "task or next");
        ann.call("TK_Claim", "{'next':true,'task':'x','target':{'domain':'Yard'}}")
                .refused(1004);
        ann.call("TK_Claim", "{'task':'x'}").refused(1004, "must be the id of a task");
        ann.call("TK_Create", "{'vx':{'name':'x'}}").refused(1006, "target.domain");
        ann.call("TK_Update", "{'task':'%s'}".formatted(task("Untouched"))).refused(1003, "what to change");
        for (var end : List.of("n", "u2028", "u001b", "u0085")) {
            ann.call("TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'a\\%sb'}}".formatted(end))
                    .refused(1004, "one line");
        }
        var carl = tenant.member("carl");
        carl.call("TK_List", "{'target':{'domain':'Yard'}}").refused(3003, "none of your agents is a member");
        carl.call("TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'x'}}").refused(3003, "member");
        claim(carl, "default", task("Paint")).refused(3003, "member");
    }

    private static JsonNode send(String key, int status, String method, String path, String body) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        var answer = ClientApi.send(request);
        var json = Json.readObject(answer.body());
        assertThat(answer.statusCode()).as("%s", json).isEqualTo(status);
        return json;
    }

    @Test
    void tasksAndReservationsHaveRoutesOfTheirOwn() {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        send(key, 200, "POST", "/api/mcp/tools/DM_Create/invoke", "{'vx':{'name':'Dock','description':'d'}}");
        var created = send(
                key, 201, "POST", "/api/tasks", "{'target':{'domain':'Dock'},'vx':{'name':'Paint','tags':['red']}}");
        var id = created.at("/task/id").asString();
        send(key, 201, "POST", "/api/tasks", "{'target':{'domain':'Dock'},'vx':{'name':'Sail'}}");
        var listed = send(key, 200, "GET", "/api/tasks?target.domain=Dock&ready=true&vx.tags=red&limit=5", "");
        assertThat(listed.at("/profile/0/id").asString()).isEqualTo(id);
        assertThat(listed.path("profile").size()).isEqualTo(1);
        assertThat(send(key, 200, "GET", "/api/tasks/" + id, "")
                        .at("/content/0/what")
                        .asString())
                .isEqualTo("created");
        var claimed = send(key, 200, "POST", "/api/tasks/%s/claim".formatted(id), "{'lease_seconds':60}");
        assertThat(claimed.at("/task/holder").asString()).isEqualTo("carl");
        assertThat(send(key, 409, "POST", "/api/tasks/%s/claim".formatted(id), "")
                        .path("detail")
                        .asString())
                .contains("that is you");
        var next = send(key, 200, "POST", "/api/tasks/claim", "{'next':true,'target':{'domain':'Dock'}}");
        assertThat(next.at("/task/title").asString()).isEqualTo("Sail");
        assertThat(send(key, 200, "PATCH", "/api/tasks/" + id, "{'fence':1,'state':'done','result':'It is red.'}")
                        .at("/task/state")
                        .asString())
                .isEqualTo("done");
        send(key, 422, "PATCH", "/api/tasks/" + id, "{'fense':1}");
        send(key, 404, "GET", "/api/tasks/00000000-0000-0000-0000-000000000000", "");
        send(key, 200, "POST", "/api/tasks/reservations", "{'target':{'domain':'Dock'},'paths':['a/**','b/*']}");
        var released = send(key, 200, "DELETE", "/api/tasks/reservations?target.domain=Dock&paths=a/**", "");
        assertThat(released.at("/released/0").asString()).isEqualTo("a/**");
        send(tenant.key(ClientApi.REST, "dora", Role.MEMBER, List.of("*")), 404, "GET", "/api/tasks/" + id, "");
        send(
                tenant.key(ClientApi.REST, "eve", Role.VIEWER, List.of("*")),
                403,
                "POST",
                "/api/tasks/claim",
                "{'next':true}");
        assertThat(send(key, 200, "GET", "/api/inbox?limit=1", "")
                        .path("content")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void theResultOfALateHolderIsKeptInTheHistory() {
        var carl = alone(2);
        var id = taskOf(carl, "Paint");
        claim(carl, "C0", id).ok();
        endLeases();
        claim(carl, "C1", id).ok();
        for (var again = 0; again < 2; again++) {
            update(carl, "C0", id, "'fence':1,'state':'done','result':'two coats'")
                    .refused(3003, "'C1'");
        }
        update(carl, "C1", id, "'fence':1,'result':'not mine'").refused(3003);
        assertThat(read(carl, id).texts("/content", "what"))
                .containsExactly("created", "claimed", "lost", "claimed", "late");
        assertThat(read(carl, id).texts("/content", "by").getLast()).isEqualTo("C0");
        assertThat(read(carl, id).texts("/content", "note").getLast()).isEqualTo("two coats");
        assertThat(read(carl, id).text("/profile/0/state")).isEqualTo("doing");
        update(carl, "C1", id, "'fence':2,'state':'done'").ok();
    }

    /** Half of an hour before its end nothing is said, and five minutes before it once. */
    @Test
    void aHolderIsRemindedOnceFiveMinutesBeforeItsLeaseEnds() {
        var id = task("Paint");
        claim(bob, "Ben", id).ok();
        bob.call("TK_Reserve", "{'target':{'domain':'Yard','context':'Ben'},'paths':['src/**','doc/**']}")
                .ok();
        bob.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}").ok();
        for (var api : ClientApi.values()) {
            for (var table : List.of("task", "reservation")) {
                TestDatabase.db()
                        .sql("UPDATE " + table
                                + " SET lease_until = now() + INTERVAL '4 minutes' WHERE tenant_id = :tenant"
                                + " AND holder_id IS NOT NULL")
                        .set("tenant", tenant.id(api))
                        .run();
            }
        }
        for (var what : List.of("The lease of your task 'Paint'", "Your reservation of doc/** and 1 more")) {
            await().untilAsserted(
                            () -> // The reminders of the two tenants may come one after the other.
                            assertThat(bob.call("AP_Read", "{'target':{'agent':'Ben'}}")
                                            .ok()
                                            .texts("/content", "content"))
                                    .anyMatch(text -> text.startsWith(what) && text.contains("extends it")));
        }
        assertThat(update(bob, "Ben", id, "'fence':1,'lease_seconds':1800").ok().number("/task/fence"))
                .isEqualTo(1);
    }
}
