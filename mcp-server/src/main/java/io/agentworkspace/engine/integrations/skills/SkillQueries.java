package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillFile;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads of tenants' own skills: one statement each. */
public final class SkillQueries {
    private static final String ALL =
            SqlTemplate.of("""
            (SELECT json_agg({skill_json} ORDER BY s.name COLLATE "C") FROM skill s WHERE s.tenant_id = :tenant)
            """).with("skill_json", OwnSkill.JSON).sql();

    private static final String ONE =
            SqlTemplate.of("""
            (SELECT {skill_json} FROM skill s WHERE s.tenant_id = :tenant AND s.name = :name)
            """).with("skill_json", OwnSkill.JSON).sql();

    private static final String FILES = """
            (SELECT json_agg(json_build_object('path', f.path, 'content', encode(f.content, 'base64')))
               FROM skill_file f
              WHERE f.tenant_id = :tenant AND f.skill = :name AND (:whole OR f.path = CAST(:path AS text)))
            """;

    private static final int MOST_AGENTS = 200;

    private static final String LIST =
            SqlTemplate.of("SELECT {skills} AS rows").with("skills", ALL).sql();

    private static final String READ = SqlTemplate.of("""
            SELECT {skill} AS own, {files} AS files,
                   (SELECT jsonb_agg(named.name ORDER BY named.name_key)
                      FROM (SELECT a.name, a.name_key
                              FROM skill_install i
                              JOIN agent a ON a.tenant_id = :tenant AND a.id = i.agent_id
                             WHERE i.tenant_id = :tenant AND i.skill = :name AND {visible_agent}
                             ORDER BY a.name_key
                             LIMIT {most_agents}) named) AS agents
            """)
            .with("skill", ONE)
            .with("files", FILES)
            .with("visible_agent", Visibility.agent("a"))
            .with("most_agents", MOST_AGENTS)
            .sql();

    private static final String READ_WITHOUT_AGENTS = SqlTemplate.of("SELECT {skill} AS own, {files} AS files")
            .with("skill", ONE)
            .with("files", FILES)
            .sql();

    private static final String FIND =
            SqlTemplate.of("SELECT {skill} AS own").with("skill", ONE).sql();

    private final Db db;

    public SkillQueries(Db db) {
        this.db = db;
    }

    /** Returns all of the tenant's own skills by name. */
    List<OwnSkill> list(Call call) {
        return list(call.caller().tenant());
    }

    /** Returns all of the tenant's own skills by name. */
    List<OwnSkill> list(long tenant) {
        return db.sql(LIST)
                .set("tenant", tenant)
                .one(row -> row.jsonList("rows", OwnSkill.class))
                .orElseThrow();
    }

    /**
     * A skill with the requested files.
     *
     * @param agents the names of the agents that it is installed on and that the acting user may see, 200 at most
     */
    record SkillDetails(@Nullable OwnSkill own, List<SkillFile> files, List<String> agents) {
        /** Returns the skill with all of its content, if all files were requested. */
        Skill whole() {
            return Skill.stored(files);
        }
    }

    /** @param path the path of the requested file, or null for all */
    SkillDetails read(Call call, String name, @Nullable String path) {
        return db.sql(call, READ)
                .set("name", name)
                .set("path", path)
                .set("whole", path == null)
                .one(row -> found(row, row.jsonList("agents", String.class)))
                .orElseThrow();
    }

    /** @param path the path of the requested file, or null for all */
    SkillDetails read(long tenant, String name, @Nullable String path) {
        return db.sql(READ_WITHOUT_AGENTS)
                .set("tenant", tenant)
                .set("name", name)
                .set("path", path)
                .set("whole", path == null)
                .one(row -> found(row, List.of()))
                .orElseThrow();
    }

    private record Content(String path, String content) {}

    private static SkillDetails found(Row row, List<String> agents) throws SQLException {
        var files = row.jsonList("files", Content.class).stream()
                .map(file ->
                        SkillFile.stored(file.path(), Base64.getMimeDecoder().decode(file.content())))
                .toList();
        return new SkillDetails(row.json("own", OwnSkill.class), files, agents);
    }

    /** Returns one of the tenant's own skills, without its files. */
    Optional<OwnSkill> find(long tenant, String name) {
        return db.sql(FIND)
                .set("tenant", tenant)
                .set("name", name)
                .one(row -> Optional.ofNullable(row.json("own", OwnSkill.class)))
                .orElseThrow();
    }
}
