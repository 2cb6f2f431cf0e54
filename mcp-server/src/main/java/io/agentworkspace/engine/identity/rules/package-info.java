/**
 * Rules: tools, SQL, templates and replay. {@code Rules} applies them to calls, {@code DocumentRules} to documents.
 */
@NullMarked
package io.agentworkspace.engine.identity.rules;

import org.jspecify.annotations.NullMarked;
