import type { NeedMail } from '../../exchange/needs/mail-needs.ts'
import { ActionChoice, ActionField, ActionForm } from '../pages/form.tsx'
import type { Visit } from './page.ts'

const choices: Readonly<Record<NeedMail['about'], string>> = {
  off: 'No e-mails',
  now: 'Only what is urgent, at night, too',
  today: 'Also what can wait for the day, by day',
}

/** What an operator gets e-mails about. */
export const NeedMailForm = ({ visit, chosen }: { visit: Visit; chosen: NeedMail }) => (
  <section aria-labelledby="need-mail">
    <h2 id="need-mail">E-mails about what needs you</h2>
    <ActionForm visit={visit} action="need-mail" name="Save">
      <p class="hint">
        One e-mail about each thing on your first page that lasts for two minutes. Night is from 22 to 7.
      </p>
      <ActionChoice id="about" name="about" label="About" options={Object.entries(choices)} value={chosen.about} />
      <ActionField
        id="time-zone"
        name="time_zone"
        label="Your time zone"
        hint="As in Europe/Berlin."
        value={chosen.timeZone}
        required
      />
    </ActionForm>
  </section>
)
