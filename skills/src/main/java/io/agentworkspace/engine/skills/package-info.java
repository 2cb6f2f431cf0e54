/** Skills as the Agent Skills specification (agentskills.io) defines them: the reader, and those that the service ships. */
@NullMarked
package io.agentworkspace.engine.skills;

import org.jspecify.annotations.NullMarked;
