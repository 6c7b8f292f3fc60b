package action

import (
	"net/http"
	"strconv"
)

// The verbs of this file.
var (
	VerbCapabilityShow = Define[None, Capability](Verb{Name: "capability.show", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/capability", Summary: "Show the contract that runs keep, as data"})
)

// Capability describes a governed ability as data: its permitted uses, its
// requirements, its effects and its possible failures.
type Capability struct {
	ID                string           `json:"capability_id"`
	Domain            string           `json:"domain"`
	Description       string           `json:"description"`
	RiskLevel         string           `json:"risk_level"`
	Archetypes        []string         `json:"allowed_archetypes"`
	Phases            []string         `json:"allowed_phases"`
	RequiredDecisions []Named          `json:"required_decisions"`
	RequiredStatus    []Named          `json:"required_status"`
	InputFields       []CapabilityItem `json:"input_fields"`
	ActionTypes       []Named          `json:"action_types"`
	OutputFields      []CapabilityItem `json:"output_fields"`
	SideEffects       []string         `json:"side_effects"`
	Rollback          string           `json:"rollback_possibility"`
	Idempotency       string           `json:"idempotency"`
	Duration          string           `json:"expected_duration"`
	Concurrency       string           `json:"concurrency"`
	FailureModes      []Named          `json:"known_failure_modes"` // and what is done about each
	WorstCases        []string         `json:"worst_case_impact"`
	HumanIntervention string           `json:"human_intervention_required"`
	Escalations       []Named          `json:"escalation_rules"` // and what follows
	AuditFields       []string         `json:"audit_fields"`     // as the audit trail calls them
	TraceLevel        string           `json:"trace_level"`
	Security          []Named          `json:"security_model"`
}

// Named is a name with a description.
type Named struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// CapabilityItem is a field of the input or the output.
type CapabilityItem struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Required   bool   `json:"required"`
	Default    string `json:"default,omitempty"`
	Validation string `json:"validation,omitempty"`
}

// The only archetype and phase in which runs are allowed.
const (
	RunArchetype = "Builder"
	RunPhase     = "Build"
)

// What is checked by trial before the first action of a run.
const (
	BoxActive       = "DOCKER_CONTAINER_ACTIVE"
	DisplayReady    = "XVFB_DISPLAY_READY"
	AllowlistLoaded = "DOMAIN_ALLOWLIST_LOADED"
)

// What must be decided before a run, and who is responsible.
const (
	AllowlistApproved = "DOMAIN_ALLOWLIST_APPROVED"
	ContainerRunning  = "CONTAINER_RUNNING"
	TestDataOnly      = "TEST_DATA_ONLY"
)

// BrowserAutomation is the capability of contract runs.
var BrowserAutomation = Capability{
	ID: "BROWSER_AUTOMATION", Domain: "web-interaction", RiskLevel: "High (R3)",
	Description: "Drives a web browser in an isolated container: navigation, reading the page, filling in forms, clicking, scrolling, screenshots and looking for text. For end-to-end tests and governed reading of the web.",
	Archetypes:  []string{RunArchetype}, Phases: []string{RunPhase},
	RequiredDecisions: []Named{
		{AllowlistApproved, "every host of domain_allowlist is configured, or a person says yes to it for this run"},
		{ContainerRunning, "the run has a browser in a container of its own, with a display"},
		{TestDataOnly, "what is typed holds no real credentials: secret fields are refused, and what looks like a credential refuses the run, whoever starts it"},
	},
	RequiredStatus: []Named{
		{BoxActive, "the engine says that the container runs"},
		{DisplayReady, "the display inside answers"},
		{AllowlistLoaded, "the way out of the container lets the first page through, and refuses a host that is not on the list"},
	},
	InputFields: []CapabilityItem{
		{"url", "string (URL)", true, "", "http or https; its host is in domain_allowlist"},
		{"actions", "array[action_object]", true, "", "1 to " + strconv.Itoa(MostRunActions) + " actions, each of a known type with the fields of that type"},
		{"domain_allowlist", "array[string]", true, "", "hosts, or *.host for sub-domains; not empty"},
		{"timeout", "integer (milliseconds)", false, strconv.Itoa(RunTimeout), "1 to 120000, for all actions together"},
		{"screenshot_dir", "string", false, "./test-results/screenshots/", "a folder below the current one"},
		{"archetype", "string", false, RunArchetype, "one of allowed_archetypes"},
		{"phase", "string", false, RunPhase, "one of allowed_phases"},
		{"actor", "string", false, "", "whom the run is for"},
	},
	ActionTypes: actionTypes(),
	OutputFields: []CapabilityItem{
		{Name: "execution_log", Type: "array[{action: string, timestamp: string, success: boolean, details: string}]", Required: true},
		{Name: "screenshots", Type: "array[{name: string, path: string, timestamp: string}]", Required: true},
		{Name: "page_content", Type: "object{title: string, url: string, interactive_elements: array, text_content: string}", Required: true},
		{Name: "final_status", Type: "enum(completed, timeout, error, blocked_domain)", Required: true},
		{Name: "reason", Type: "object{code: string, message: string}", Required: true},
	},
	SideEffects: []string{
		"Network requests to allowed domains", "Form submissions may trigger server-side actions",
		"Screenshot files written to disk", "Browser process started in a container",
	},
	Rollback: "Partial (form submissions cannot be undone)", Idempotency: "No (form submissions and clicks have side effects)",
	Duration: "Medium (seconds to minutes)", Concurrency: "Single browser session per container",
	FailureModes: []Named{
		{"Navigation to blocked domain", "the allowlist is enforced outside the container"},
		{"Container escape attempt", "container isolation, and Chromium's own sandbox inside"},
		{"Credential leak", "test data only: what is typed is judged before it reaches the page"},
		{"Session timeout", "a configurable time for all actions"},
		{"Element not found", "the action fails, its line in the log says why, and the run goes on"},
	},
	WorstCases:        []string{"Unintended form submission on a production site", "Credential exposure, if the policy is violated", "Address banned by the target site for excessive requests"},
	HumanIntervention: "Yes (approve the domain allowlist and any new domain)",
	Escalations: []Named{
		{"Navigation to a domain that is not in the allowlist", "it is blocked at once and a person is asked: after a yes the run goes on, otherwise it ends"},
		{"Real credentials in form input", "the run is refused or ends at once, with an alert"},
		{"3 consecutive action failures", "the run pauses and asks a person for guidance"},
		{"Container health check failure", "the session ends, and the run with it"},
	},
	AuditFields: []string{"timestamp", "actor", "action", "target_url", "target_element", "input_value", "result", "screenshot_path", "session_id", "container_id"},
	TraceLevel:  "Full (every action, every navigation, every screenshot)",
	Security: []Named{
		{"sandbox_type", "container with an X virtual display (Xvfb)"},
		{"container_required", "mandatory: it does not run on a bare host"},
		{"network_access", "the domain allowlist only; the container has no network interface of its own"},
		{"credential_handling", "no real passwords, tokens or API keys; test data only; what is typed is judged before it is submitted"},
		{"process_isolation", "full container isolation, no access to the host's files"},
	},
}

func actionTypes() []Named {
	var all []Named
	for _, k := range RunKinds {
		all = append(all, Named{k.Type, k.Summary})
	}
	return all
}
