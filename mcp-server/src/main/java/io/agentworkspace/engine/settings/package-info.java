/** The settings: each is declared once, with its default and its sentence in the documents. */
@NullMarked
package io.agentworkspace.engine.settings;

import org.jspecify.annotations.NullMarked;
