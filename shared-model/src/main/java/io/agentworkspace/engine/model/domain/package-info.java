/** The records of domains, zones and members. */
@NullMarked
package io.agentworkspace.engine.model.domain;

import org.jspecify.annotations.NullMarked;
