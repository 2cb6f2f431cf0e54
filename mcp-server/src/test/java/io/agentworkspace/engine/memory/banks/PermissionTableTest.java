package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.shareDomain;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The permissions for each subject, grant and access of a bank, determined by calls. */
@Tag("slow")
class PermissionTableTest {
    private static final List<String> ACCESSES = List.of("private", "bank", "agent", "domain", "public");

    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;

    /**
     * The columns after the grant are a bank's accesses. A user's grant is set for one of its agents. {@code absent}:
     * the bank looks missing; {@code none}: it is visible, and nothing is allowed.
     */
    @ParameterizedTest(name = "{0}, grant {1}")
    @CsvSource(useHeadersInDisplayName = true, textBlock = """
            subject,          grant,  private, bank,   agent,  domain, public
            owner,            -,      manage,  manage, manage, manage, manage
            owner,            none,   manage,  manage, manage, manage, manage
            owner's agent,    -,      manage,  manage, manage, manage, manage
            owner's agent,    none,   none,    none,   none,   none,   none
            owner's agent,    read,   read,    read,   read,   read,   read
            owner's agent,    write,  write,   write,  write,  write,  write
            admin,            -,      manage,  manage, manage, manage, manage
            admin's agent,    -,      none,    none,   none,   none,   read
            admin's agent,    append, append,  append, append, append, append
            stranger,         -,      absent,  absent, absent, absent, read
            stranger,         none,   absent,  absent, absent, absent, read
            stranger,         read,   read,    read,   read,   read,   read
            stranger,         append, append,  append, append, append, append
            stranger,         write,  write,   write,  write,  write,  write
            stranger,         manage, manage,  manage, manage, manage, manage
            stranger's agent, -,      absent,  absent, absent, absent, read
            stranger's agent, none,   absent,  absent, absent, absent, none
            stranger's agent, read,   read,    read,   read,   read,   read
            stranger's agent, append, append,  append, append, append, append
            stranger's agent, write,  write,   write,  write,  write,  write
            stranger's agent, manage, manage,  manage, manage, manage, manage
            stranger's other, none,   absent,  absent, absent, absent, read
            stranger's other, manage, none,    none,   none,   none,   read
            neighbour,        -,      absent,  absent, absent, read,   read
            neighbour,        none,   absent,  absent, absent, read,   read
            neighbour,        append, append,  append, append, append, append
            neighbour's agent, -,     absent,  absent, absent, read,   read
            neighbour's agent, none,  absent,  absent, absent, none,   none
            neighbour's agent, write, write,   write,  write,  write,  write
            """)
    void everyonesPermission(
            String subject,
            String grant,
            String asPrivate,
            String asBank,
            String asAgent,
            String asDomain,
            String asPublic) {
        var expected = List.of(asPrivate, asBank, asAgent, asDomain, asPublic);
        var who = person(subject);
        var context = subject.endsWith("agent") ? "theirs" : subject.endsWith("other") ? "other" : "default";
        for (var i = 0; i < ACCESSES.size(); i++) {
            var bank = "b" + i;
            bank(ann, bank, ACCESSES.get(i));
            storeNamed(ann, bank, "keeper", "kept", "x").ok();
            if (!grant.equals("-")) {
                grant(ann, bank, "theirs", grant).ok();
            }
            assertThat(tried(who, context, bank)).as(ACCESSES.get(i)).isEqualTo(expected.get(i));
            assertThat(listed(who, context, bank))
                    .as("MB_List, " + ACCESSES.get(i))
                    .isEqualTo(listable(expected.get(i)));
        }
    }

    private TestCaller person(String subject) {
        agent(ann, "keeper");
        agent(ann, "host");
        var who = subject.startsWith("owner")
                ? ann
                : fixture.tenant.person("who", subject.startsWith("admin") ? Role.ADMIN : Role.MEMBER);
        agent(who, "theirs", "public");
        agent(who, "other");
        if (subject.startsWith("neighbour")) {
            shareDomain(ann, "host", "theirs");
        }
        return who;
    }

    /** Returns the highest permission that works. */
    private static String tried(TestCaller who, String context, String bank) {
        var read = who.call("MB_Read", BankFixture.in(context, bank));
        if (read.code() != 0) {
            return read.code() == 3001 ? "absent" : noneOf(read);
        }
        if (!allowed(
                who, "MB_Store", "{'target':{'bank':'%s','context':'%s'},'content':'y'}".formatted(bank, context))) {
            return "read";
        }
        if (!allowed(
                who,
                "MB_Store",
                "{'target':{'bank':'%s','context':'%s'},'vx':{'name':'kept'},'content':'y'}"
                        .formatted(bank, context))) {
            return "append";
        }
        var update = "{'target':{'bank':'%1$s','context':'%2$s'},'vx':{'name':'%1$s'}}".formatted(bank, context);
        return allowed(who, "MB_Update", update) ? "manage" : "write";
    }

    private static String noneOf(Reply refused) {
        refused.refused(2003, "'none'");
        return "none";
    }

    private static boolean allowed(TestCaller who, String command, String arguments) {
        var reply = who.call(command, arguments);
        if (reply.code() != 0) {
            reply.refused(2003, "MB_Permissions");
        }
        return reply.code() == 0;
    }

    private static String listed(TestCaller who, String context, String bank) {
        return who.call("MB_List", BankFixture.in(context, bank)).ok().text("/content/0/permission");
    }

    private static String listable(String permission) {
        return List.of("absent", "none").contains(permission) ? "" : permission;
    }
}
