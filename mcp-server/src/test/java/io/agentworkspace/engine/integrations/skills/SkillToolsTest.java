package io.agentworkspace.engine.integrations.skills;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.skills.SkillArchive;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools that show and change skills, through both endpoints. */
@Tag("slow")
class SkillToolsTest {
    private static final List<String> SHIPPED =
            List.of("first-steps", "workspace", "team-with-shared-memory", "receive-webhooks", "stay-within-limits");

    private final TestTenant tenant = new TestTenant();
    private final TestCaller root = tenant.person("root", Role.ADMIN);
    private final TestCaller ann = tenant.member("ann");

    private static SkillZip tides() {
        return SkillZip.of("tides", "# Gezeiten\n\nAsk MB_Read, then AP_Chat; never XX_Nothing.")
                .with("references/größe (neu).md", "Ω≈ç")
                .with("logo.png", new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, (byte) 0xFF});
    }

    private Reply add(SkillZip zip, String more) {
        return root.call("SK_Add", "{'archive':'%s'%s}".formatted(zip.base64(), more));
    }

    private static List<String> names(Reply reply) {
        return reply.texts("/skills", "name");
    }

    @Test
    void theShippedSkillsAreListedFirstAndThenOnesOwn() {
        assertThat(names(ann.call("SK_List").ok())).isEqualTo(SHIPPED);
        add(SkillZip.of("zeal", "Z."), "").ok();
        var made = add(tides(), "").ok();
        assertThat(made.at("/skill").toString().replace('"', '\''))
                .contains(
                        "'name':'tides','title':'Gezeiten','description':'Tells of tides.','origin':'own','digest':'sha256:",
                        "'file_count':3",
                        "'tools':['MB_Read','AP_Chat'],'revision':1,'updated_at':'2");
        assertThat(made.at("/changed").asBoolean()).isTrue();
        var all = ann.call("SK_List").ok();
        assertThat(names(all)).startsWith(SHIPPED.toArray(String[]::new)).endsWith("tides", "zeal");
        assertThat(all.at("/skills/5")).isEqualTo(made.at("/skill"));
        assertThat(all.text("/skills/0/origin")).isEqualTo("shipped");
        assertThat(all.at("/skills/0").has("revision")).isFalse();
    }

    @Test
    void aLongListComesInPages() {
        add(tides(), "").ok();
        var first = ann.call("SK_List", "{'page':{'limit':5}}").ok();
        assertThat(names(first)).isEqualTo(SHIPPED);
        var cursor = first.text("/next_cursor");
        add(SkillZip.of("algae", "A."), "").ok();
        var second = ann.call("SK_List", "{'page':{'limit':1,'cursor':'%s'}}".formatted(cursor))
                .ok();
        assertThat(names(second)).containsExactly("algae");
        root.call("SK_Remove", "{'name':'algae'}").ok();
        var third = ann.call("SK_List", "{'page':{'cursor':'%s'}}".formatted(second.text("/next_cursor")))
                .ok();
        assertThat(names(third)).containsExactly("tides");
        assertThat(third.at("").has("next_cursor")).isFalse();
        ann.call("SK_List", "{'page':{'cursor':'x'}}").refused(1004, "page.cursor");
    }

    @Test
    void aSkillIsReadWithAllThatIsKnownOfIt() {
        add(tides(), "").ok();
        var read = ann.call("SK_Read", "{'name':'tides'}").ok();
        assertThat(read.text("/body")).isEqualTo("# Gezeiten\n\nAsk MB_Read, then AP_Chat; never XX_Nothing.");
        assertThat(read.at("/frontmatter").toString())
                .isEqualTo("{\"name\":\"tides\",\"description\":\"Tells of tides.\"}");
        assertThat(read.texts("/files", "path")).containsExactly("SKILL.md", "logo.png", "references/größe (neu).md");
        assertThat(read.text("/files/1/media_type")).isEqualTo("image/png");
        assertThat(read.number("/files/1/size")).isEqualTo(6);
        assertThat(read.text("/files/1/digest")).matches("sha256:[0-9a-f]{64}");
        assertThat(read.at("/agents").isEmpty()).isTrue();
        assertThat(read.at("").has("file") || read.at("").has("archive")).isFalse();
        var shipped = ann.call("SK_Read", "{'name':'first-steps'}").ok();
        assertThat(shipped.text("/body")).startsWith("# First steps");
        assertThat(shipped.text("/skill/origin")).isEqualTo("shipped");
        ann.call("SK_Read", "{'name':'tide'}").refused(3001, "no skill 'tide'", "'tides'");
        ann.call("SK_Read", "{'name':'Tides'}").refused(3001, "'tides'");
    }

    @Test
    void itsToolsTellWhetherTheyMayBeCalled() {
        add(SkillZip.of("mix", "x").with("SKILL.md", """
                ---
                name: mix
                description: Mixes.
                allowed-tools: Read Bash(git add:*) AP_Chat
                ---
                US_Create makes users.
                """), "").ok();
        var read = ann.call("SK_Read", "{'name':'mix'}").ok();
        assertThat(read.texts("/tools", "name")).containsExactly("Read", "Bash(git add:*)", "AP_Chat", "US_Create");
        assertThat(read.at("/tools/0").has("may_call")).isFalse();
        assertThat(read.at("/tools/2").toString()).isEqualTo("{\"name\":\"AP_Chat\",\"may_call\":true}");
        assertThat(read.at("/tools/3/may_call").asBoolean()).isFalse();
        assertThat(read.text("/tools/3/note")).contains("your role is 'member'", "admin");
    }

    @Test
    void aFileIsTextOrBase64AndTheWholeIsAZip() {
        add(tides(), "").ok();
        var text = ann.call("SK_Read", "{'name':'tides','path':'references/größe (neu).md'}")
                .ok();
        assertThat(text.text("/file/text")).isEqualTo("Ω≈ç");
        assertThat(text.at("").has("body") || text.at("/file").has("base64")).isFalse();
        var image = ann.call("SK_Read", "{'name':'tides','path':'logo.png'}").ok();
        assertThat(Base64.getDecoder().decode(image.text("/file/base64"))).hasSize(6);
        var main = ann.call("SK_Read", "{'name':'tides','path':'SKILL.md'}").ok();
        assertThat(main.text("/file/text")).startsWith("---\nname: tides");
        var zip = ann.call("SK_Read", "{'name':'tides','archive':true}").ok();
        var skill = SkillArchive.read(Base64.getDecoder().decode(zip.text("/archive")));
        assertThat(skill.card().digest()).isEqualTo(zip.text("/skill/digest"));
        assertThat(skill.files()).hasSize(3);
        for (var path : List.of("logo.jpg", "../SKILL.md", "skill.md", "references")) {
            ann.call("SK_Read", "{'name':'tides','path':'%s'}".formatted(path)).refused(3001, "no file");
            ann.call("SK_Read", "{'name':'first-steps','path':'%s'}".formatted(path))
                    .refused(3001, "no file");
        }
        ann.call("SK_Read", "{'name':'tides','path':'SKILL.md','archive':true}").refused(1004, "path");
    }

    @Test
    void installedSkillsShowInTheAgentsRecord() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        add(tides(), "").ok();
        var taught = ann.call("SK_Install", "{'name':'tides','agent':'ada'}").ok();
        assertThat(taught.at("/changed").asBoolean()).isTrue();
        assertThat(taught.at("/agent/skills").toString()).isEqualTo("[\"tides\"]");
        assertThat(ann.call("SK_Install", "{'name':'tides','agent':'Ada'}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("SK_Install", "{'name':'first-steps'}").ok();
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/profile/0/skills")
                        .toString())
                .isEqualTo("[\"first-steps\",\"tides\"]");
        assertThat(ann.call("AP_List").ok().at("/profile/0/skills").size()).isEqualTo(2);
        assertThat(root.call("SK_Read", "{'name':'tides'}").ok().at("/agents").toString())
                .isEqualTo("[\"Ada\"]");
        assertThat(ann.call("SK_Uninstall", "{'name':'tides'}")
                        .ok()
                        .at("/agent/skills")
                        .toString())
                .isEqualTo("[\"first-steps\"]");
        assertThat(ann.call("SK_Uninstall", "{'name':'tides','agent':'Ada'}")
                        .ok()
                        .at("/changed")
                        .asBoolean())
                .isFalse();
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) FROM skill_install WHERE tenant_id = :tenant")
                        .set("tenant", tenant.id(ClientApi.MCP))
                        .one(row -> row.number(1)))
                .contains(0L);
    }

    @Test
    void whatCannotBeInstalledIsNamed() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        root.call("AP_Create", "{'vx':{'name':'Roo','description':'d','access':'public'}}")
                .ok();
        ann.call("SK_Install", "{'name':'first-steps'}").refused(1006, "AP_LogOn");
        ann.call("SK_Install", "{'name':'first-step','agent':'Ada'}").refused(3001, "'first-steps'");
        ann.call("SK_Install", "{'name':'first-steps','agent':'Adam'}").refused(3001, "no agent");
        ann.call("SK_Install", "{'name':'first-steps','agent':'Roo'}").refused(2003, "root");
        ann.call("SK_Uninstall", "{'name':'nothing','agent':'Ada'}").refused(3001, "no skill");
        assertThat(ann.call("SK_Read", "{'name':'first-steps'}")
                        .ok()
                        .at("/agents")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void onlyThoseAgentsAreShownThatOneMaySee() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("SK_Install", "{'name':'first-steps','agent':'Ada'}").ok();
        var bob = tenant.member("bob");
        assertThat(bob.call("SK_Read", "{'name':'first-steps'}")
                        .ok()
                        .at("/agents")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void anAgentHasFiftySkillsAtMost() {
        var person = tenant.person(ClientApi.REST, "sam", Role.MEMBER);
        person.call("AP_Create", "{'vx':{'name':'Sam','description':'d'}}").ok();
        TestDatabase.db().sql("""
                        INSERT INTO skill_install
                        SELECT a.tenant_id, a.id, 'skill-' || n, now() FROM agent a, generate_series(1, 50) n
                         WHERE a.tenant_id = :tenant
                        """).set("tenant", tenant.id(ClientApi.REST)).run();
        person.call("SK_Install", "{'name':'first-steps','agent':'Sam'}").refused(3003, "50", "SK_Uninstall");
        person.call("SK_Uninstall", "{'name':'skill-7','agent':'Sam'}").ok();
        person.call("SK_Install", "{'name':'first-steps','agent':'Sam'}").ok();
        person.call("SK_Install", "{'name':'first-steps','agent':'Sam'}").ok();
    }

    @Test
    void aSkillIsReplacedOnlyWhereThatIsSaid() {
        var old = add(tides(), "").ok();
        assertThat(add(tides(), "").ok().at("/changed").asBoolean()).isFalse();
        var other = SkillZip.of("tides", "Other.");
        add(other, "").refused(3002, "replace=true");
        add(other, ",'replace':true,'if_revision':7").refused(3003, "revision");
        add(other, ",'replace':true,'if_revision':0").refused(3003, "revision");
        var replaced = add(other, ",'replace':true,'if_revision':1").ok();
        assertThat(replaced.number("/revision")).isEqualTo(2);
        assertThat(replaced.text("/skill/digest")).isNotEqualTo(old.text("/skill/digest"));
        var read = ann.call("SK_Read", "{'name':'tides'}").ok();
        assertThat(read.text("/body")).isEqualTo("Other.");
        assertThat(read.texts("/files", "path")).containsExactly("SKILL.md");
        ann.call("SK_Read", "{'name':'tides','path':'logo.png'}").refused(3001, "no file");
        add(SkillZip.of("first-steps", "Mine."), ",'replace':true").refused(3002, "the engine ships a skill");
    }

    @Test
    void removingTakesItOffEveryAgent() {
        add(tides(), "").ok();
        for (var name : List.of("Ada", "Bo")) {
            ann.call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name))
                    .ok();
            ann.call("SK_Install", "{'name':'tides','agent':'%s'}".formatted(name))
                    .ok();
        }
        assertThat(root.call("SK_Remove", "{'name':'tides'}").ok().number("/uninstalled"))
                .isEqualTo(2);
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Bo'}}")
                        .ok()
                        .at("/profile/0/skills")
                        .isEmpty())
                .isTrue();
        root.call("SK_Remove", "{'name':'tides'}").refused(3001, "no skill 'tides'");
        root.call("SK_Remove", "{'name':'first-steps'}").refused(3003, "comes with the service");
        ann.call("SK_Remove", "{'name':'tides'}").refused(2003, "admin");
        ann.call("SK_Add", "{'archive':'%s'}".formatted(tides().base64())).refused(2003, "admin");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'archive':''}       | 1003 | archive is required
            {}                   | 1003 | archive is required
            {'archive':7}        | 1001 | a string
            {'archive':'%%%'}    | 1004 | base64
            {'archive':'aGFsbG8='} | 1004 | must be a complete zip
            """)
    void whatIsNoArchiveIsNamed(String arguments, int code, String noted) {
        root.call("SK_Add", arguments).refused(code, noted);
    }

    @Test
    void whatIsNoSkillIsNamedAndNothingIsKept() {
        add(SkillZip.of("Tides", "x"), "").refused(1004, "name in SKILL.md", "lower-case");
        add(SkillZip.of("tides", "x").with("../evil.md", "x"), "").refused(1004, "'..'");
        add(SkillZip.of("tides", "x").with("tides/skill.MD", "x").with("TIDES/SKILL.md", "x"), "")
                .refused(1004, "twice");
        add(SkillZip.of("tides", "x").with("bomb.bin", new byte[40 << 20]), "").refused(1005, "bomb.bin");
        add(SkillZip.of("tides", "x").with("SKILL.md", "no frontmatter"), "").refused(1004, "frontmatter");
        assertThat(names(root.call("SK_List").ok())).isEqualTo(SHIPPED);
    }

    @Test
    void theTenantsOwnHaveALimitTogether() {
        var person = tenant.person(ClientApi.REST, "sue", Role.ADMIN);
        var filler = """
                INSERT INTO skill (tenant_id, name, card, size, updated_at)
                SELECT :tenant, 'filler-' || n, '{"name":"x","title":"x","description":"x","digest":"x","frontmatter":{},
                                                  "files":[],"mentions":[]}', :size, now()
                  FROM generate_series(1, :count) n
                """;
        TestDatabase.db()
                .sql(filler)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("size", 0L)
                .set("count", 100)
                .run();
        var arguments = "{'archive':'%s'}".formatted(tides().base64());
        person.call("SK_Add", arguments).refused(3003, "100 skills", "SK_Remove");
        TestDatabase.db()
                .sql("DELETE FROM skill WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        TestDatabase.db()
                .sql(filler)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("size", 20L << 20)
                .set("count", 1)
                .run();
        person.call("SK_Add", arguments).refused(3003, "20,971,520 are allowed");
    }

    @Test
    void twinsAtOnceMakeOneSkill() {
        var person = tenant.person(ClientApi.REST, "tim", Role.ADMIN);
        var replies = IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> person.call(
                        "SK_Add",
                        "{'archive':'%s'}"
                                .formatted(SkillZip.of("tides", "Number " + i).base64())))
                .toList();
        assertThat(replies.stream().filter(reply -> reply.code() == 0)).hasSize(1);
        replies.stream().filter(reply -> reply.code() != 0).forEach(reply -> reply.refused(3002, "replace=true"));
        assertThat(names(person.call("SK_List").ok())).hasSize(6).endsWith("tides");
    }

    @Test
    void whileOneRemovesItNobodyInstallsIt() {
        var person = tenant.person(ClientApi.REST, "tom", Role.ADMIN);
        person.call("AP_Create", "{'vx':{'name':'Tom','description':'d'}}").ok();
        for (var round = 0; round < 10; round++) {
            person.call("SK_Add", "{'archive':'%s'}".formatted(tides().base64()))
                    .ok();
            var codes = IntStream.range(0, 4)
                    .parallel()
                    .mapToObj(i -> i == 2
                            ? person.call("SK_Remove", "{'name':'tides'}").code()
                            : person.call("SK_Install", "{'name':'tides','agent':'Tom'}")
                                    .code())
                    .toList();
            assertThat(codes).allMatch(code -> code == 0 || code == 3001);
            assertThat(person.call("AP_Read", "{'target':{'agent':'Tom'}}")
                            .ok()
                            .at("/profile/0/skills")
                            .isEmpty())
                    .isTrue();
        }
    }

    @Test
    void twoTenantsHaveSkillsOfOneName() {
        var other = new TestTenant().person("root", Role.ADMIN);
        add(SkillZip.of("tides", "Ours."), "").ok();
        other.call("SK_Read", "{'name':'tides'}").refused(3001, "no skill");
        other.call(
                        "SK_Add",
                        "{'archive':'%s'}"
                                .formatted(SkillZip.of("tides", "Theirs.").base64()))
                .ok();
        assertThat(ann.call("SK_Read", "{'name':'tides'}").ok().text("/body")).isEqualTo("Ours.");
        other.call("SK_Remove", "{'name':'tides'}").ok();
        assertThat(ann.call("SK_Read", "{'name':'tides'}").ok().text("/body")).isEqualTo("Ours.");
    }

    @Test
    void theLargestSkillIsAddedAndReadAgain() {
        var half = new byte[300_000];
        new java.util.Random(1).nextBytes(half);
        var zip = SkillZip.of("tides", "x").with("noise.bin", half).with("zeros.bin", new byte[1 << 20]);
        for (var i = 1; i < 4; i++) {
            zip.with("zeros-%d.bin".formatted(i), new byte[1 << 20]);
        }
        add(zip, "").ok();
        ann.call("SK_Read", "{'name':'tides','archive':true}").refused(1005, "/api/skills/tides/archive");
        var file = ann.call("SK_Read", "{'name':'tides','path':'noise.bin'}").ok();
        assertThat(Base64.getDecoder().decode(file.text("/file/base64"))).isEqualTo(half);
    }

    @Test
    void theAuditNamesSkillAndAgent() {
        var person = tenant.person(ClientApi.REST, "una", Role.ADMIN);
        person.call("AP_Create", "{'vx':{'name':'Una','description':'d'}}").ok();
        var archive = SkillZip.of("tides", "Secret.").base64();
        person.call("SK_Add", "{'archive':'%s'}".formatted(archive)).ok();
        person.call("SK_Install", "{'name':'tides','agent':'Una'}").ok();
        person.call("SK_Remove", "{'name':'tides'}").ok();
        var entries = person.call("AC_Audit", "{'target':'skill:tides'}").ok();
        assertThat(entries.texts("/entries", "tool")).containsExactly("SK_Remove", "SK_Install", "SK_Add");
        assertThat(entries.text("/entries/1/member")).isEqualTo("Una");
        assertThat(entries.at("").toString()).doesNotContain(archive, "Secret");
    }

    @Test
    void markupInASkillStaysText() {
        add(SkillZip.of("markup", "# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>"), "")
                .ok();
        var read = ann.call("SK_Read", "{'name':'markup'}").ok();
        assertThat(read.text("/skill/title")).isEqualTo("<script>alert(1)</script>");
        assertThat(read.text("/body")).contains("<img src=x onerror=alert(1)>");
    }
}
