package io.agentworkspace.engine.integrations.skills;

import io.agentworkspace.engine.skills.SkillCard;
import java.time.Instant;

/** A tenant's own skill, as stored in the database. */
record OwnSkill(SkillCard card, long revision, Instant updatedAt) {
    /** The JSON of a skill {@code s}. */
    static final String JSON = "json_build_object('card', s.card, 'revision', s.revision, 'updated_at', s.updated_at)";
}
